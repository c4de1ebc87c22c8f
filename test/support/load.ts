import { Agent, request as httpRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** A request, and the status that it is to be answered with. */
export interface Asking {
  readonly method?: string;
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly status: number;
}

/** What became of requests. */
export interface Outcome {
  /** How many were answered as they were to be. */
  readonly answered: number;
  /** Each of the others, in words. */
  readonly failures: readonly string[];
}

/** Clients that ask, each as soon as it is answered. */
export interface Load {
  /** How many were answered so far. */
  answered(): number;
  /** Lets each client have its last answer. */
  stop(): Promise<Outcome>;
}

export interface LoadOptions {
  /** Clients that keep their connection as long as the service does. */
  readonly keeping: number;
  /** Clients that make a new connection for each request. */
  readonly renewing: number;
  /** Whether a client ends when it is told that its connection is closed; otherwise it makes another. */
  readonly endsWhenClosed?: boolean;
}

/** In milliseconds: longer than the service may take to answer anything here. */
const LATE = 5_000;
/** How long a client waits after a failure, in milliseconds. */
const PAUSE = 50;

/** Starts clients that ask the same things in turn until they are stopped. */
export function startLoad(base: string, askings: readonly Asking[], options: LoadOptions): Load {
  const { keeping, renewing, endsWhenClosed = false } = options;
  const failures: string[] = [];
  let [answered, at, isOver] = [0, 0, false];
  const run = async (keepAlive: boolean) => {
    const agent = new Agent({ keepAlive, maxSockets: 1 });
    while (!isOver) {
      const asking = askings[at++ % askings.length] as Asking;
      const { failure, isClosed } = await askOnce(base, asking, agent);
      if (failure === undefined) answered++;
      else failures.push(failure);
      if (isClosed && endsWhenClosed) break;
      if (failure !== undefined) await sleep(PAUSE);
    }
    agent.destroy();
  };
  const clients = [...Array(keeping + renewing).keys()].map((n) => run(n < keeping));
  return {
    answered: () => answered,
    async stop() {
      isOver = true;
      await Promise.all(clients);
      return { answered, failures };
    },
  };
}

/** What came instead, unless it was the answer that was to come; and whether the service said that it closes. */
function askOnce(base: string, asking: Asking, agent: Agent): Promise<{ failure?: string; isClosed: boolean }> {
  const { method = 'GET', path, body, headers, status } = asking;
  const text = body === undefined ? undefined : JSON.stringify(body);
  const fields = { ...(text !== undefined && { 'content-type': 'application/json' }), ...headers };
  return new Promise((resolve) => {
    const fail = (what: string, isClosed = false) => resolve({ failure: `${method} ${path}: ${what}`, isClosed });
    const request = httpRequest(base + path, { method, agent, headers: fields, timeout: LATE }, (response) => {
      const isClosed = response.headers.connection === 'close';
      response.resume();
      response.once('error', (error) => fail(`${error.message} within the answer`));
      response.once('end', () => {
        if (response.statusCode === status) resolve({ isClosed });
        else fail(`${response.statusCode}`, isClosed);
      });
    });
    request.once('timeout', () => request.destroy(new Error(`no answer within ${LATE} ms`)));
    request.once('error', (error) => fail(error.message));
    request.end(text);
  });
}
