import { Agent, request } from 'node:http';

/** A response; the status is 0 if the connection was cut before it. */
export interface Reply {
  readonly status: number;
  readonly text: string;
  /** In milliseconds. */
  readonly took: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** Sends requests from an address of its own, which identifies the caller. */
export interface Caller {
  /** @param cutAfter when the response is cut, in milliseconds; never by default */
  send(
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
    cutAfter?: number,
  ): Promise<Reply>;
  graphql(query: string, headers?: Readonly<Record<string, string>>, cutAfter?: number): Promise<Reply>;
  close(): void;
}

/** The number of characters of a response that are kept. */
const KEPT = 2_000;

/** @param address one of 127.0.0.0/8 */
export function callerFrom(address: string, base: string): Caller {
  const { hostname, port } = new URL(base);
  const agent = new Agent({ keepAlive: true, localAddress: address });
  const send: Caller['send'] = (method, path, body, headers = {}, cutAfter) => {
    const began = performance.now();
    return new Promise((resolve) => {
      const end = (status: number, text: string, of: Reply['headers'] = {}) =>
        resolve({ status, text, took: performance.now() - began, headers: of });
      const options = {
        agent,
        hostname,
        port,
        path,
        method,
        headers: { 'content-type': 'application/json', ...headers },
      };
      const sent = request(options, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          if (text.length < KEPT) text += chunk;
        });
        response.on('end', () => end(response.statusCode ?? 0, text, response.headers));
        response.on('error', () => end(0, text));
        if (cutAfter === undefined) return;
        const cut = () => {
          end(response.statusCode ?? 0, text);
          response.destroy();
        };
        setTimeout(cut, cutAfter);
      });
      sent.on('error', () => end(0, ''));
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
  };
  return {
    send,
    graphql: (query, headers, cutAfter) => send('POST', '/graphql', { query }, headers, cutAfter),
    close: () => agent.destroy(),
  };
}

/** That many items, joined to a text. */
export function many(count: number, make: (n: number) => string): string {
  return Array.from({ length: count }, (_, n) => make(n)).join(' ');
}
