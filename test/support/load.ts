import { Agent, request as httpRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** A request, and the expected status of its response. */
export interface ExpectedRequest {
  readonly method?: string;
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly status: number;
}

/** The results of the requests. */
interface Outcome {
  /** The number of expected responses. */
  readonly answered: number;
  /** A description of each other result. */
  readonly failures: readonly string[];
}

/** Clients that each send the next request after a response. */
interface Load {
  /** The number of responses so far. */
  answered(): number;
  /** Waits for the last response of each client. */
  stop(): Promise<Outcome>;
}

interface LoadOptions {
  /** The number of clients that keep their connection as long as the service does. */
  readonly keeping: number;
  /** The number of clients that open a new connection for each request. */
  readonly renewing: number;
  /** Whether a client ends when the service closes its connection; otherwise it opens another. */
  readonly endsWhenClosed?: boolean;
  /** The pause of a client after a response, in milliseconds; none by default. */
  readonly pause?: number;
}

/** The time after which a response counts as missing, in milliseconds; the service may take no longer. */
const LATE = 5_000;
/** The pause of a client after a failure, in milliseconds. */
const PAUSE = 50;

/** Starts clients that repeat the requests in turn until they are stopped. */
export function startLoad(base: string, requests: readonly ExpectedRequest[], options: LoadOptions): Load {
  const { keeping, renewing, endsWhenClosed = false, pause = 0 } = options;
  const failures: string[] = [];
  let [answered, at, isOver] = [0, 0, false];
  const run = async (keepAlive: boolean) => {
    const agent = new Agent({ keepAlive, maxSockets: 1 });
    while (!isOver) {
      const expected = requests[at++ % requests.length] as ExpectedRequest;
      const { failure, isClosed } = await askOnce(base, expected, agent);
      if (failure === undefined) answered++;
      else failures.push(failure);
      if (isClosed && endsWhenClosed) break;
      if (failure !== undefined) await sleep(PAUSE);
      else if (pause > 0) await sleep(pause);
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

/** The failure, if the response was not the expected one; and whether the service closes the connection. */
function askOnce(
  base: string,
  expected: ExpectedRequest,
  agent: Agent,
): Promise<{ failure?: string; isClosed: boolean }> {
  const { method = 'GET', path, body, headers, status } = expected;
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
