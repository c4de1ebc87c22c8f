import { Agent, request as httpRequest } from 'node:http';
import type { SoakRequest } from './hostile.ts';

/** The results of requests: the number of responses with each status, and of requests without a response. */
export interface Answered {
  readonly statuses: ReadonlyMap<number, number>;
  readonly broken: number;
}

const CONNECTIONS = 32;

/** Sends requests on kept connections, each after the response to the one before. */
export class Sender {
  readonly #base: URL;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  readonly #statuses = new Map<number, number>();
  #broken = 0;

  constructor(base: string) {
    this.#base = new URL(base);
  }

  /** Sends the requests from the first number up to before the other. */
  async send(from: number, until: number, make: (n: number) => SoakRequest): Promise<void> {
    let next = from;
    const run = async () => {
      while (next < until) await this.#sendOne(make(next++));
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, run));
  }

  answered(): Answered {
    return { statuses: this.#statuses, broken: this.#broken };
  }

  close(): void {
    this.#agent.destroy();
  }

  #sendOne({ method, path, headers, body }: SoakRequest): Promise<void> {
    const { hostname, port } = this.#base;
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
    return new Promise((resolve) => {
      const options = { hostname, port, method, path, agent: this.#agent, headers: { ...headers, ...length } };
      const request = httpRequest(options, (response) => {
        const { statusCode = 0 } = response;
        this.#statuses.set(statusCode, (this.#statuses.get(statusCode) ?? 0) + 1);
        response.resume().once('close', resolve);
      });
      request.once('error', () => {
        this.#broken++;
        resolve();
      });
      request.end(body);
    });
  }
}
