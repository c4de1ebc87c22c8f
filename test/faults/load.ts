import { setTimeout as sleep } from 'node:timers/promises';

/** A request and its result. */
export interface Sample {
  readonly path: string;
  /** 0 if the connection was cut before a response. */
  readonly status: number;
  /** The code of the Error object; undefined for no error, empty for an error without one. */
  readonly code: string | undefined;
  /** When it was sent and when it ended, by `performance.now()`. */
  readonly began: number;
  readonly ended: number;
}

/** Sends the nth request. */
export type Ask = (base: string, n: number) => Promise<{ path: string; response: Response }>;

export interface Load {
  readonly samples: readonly Sample[];
  /** The number of requests in progress. */
  underWay(): number;
  /** Waits for the requests in progress. */
  stop(): Promise<void>;
}

const JSON_TYPE = { 'content-type': 'application/json' };

/** Sends a request with a body, and gives the response. */
export function send(method: string, address: string, body: object, headers: object = {}): Promise<Response> {
  return fetch(address, { method, headers: { ...JSON_TYPE, ...headers }, body: JSON.stringify(body) });
}

/** Reads, writes, orders and GraphQL in turn. */
const mixed: Ask = async (base, n) => {
  const one = async (path: string, response: Promise<Response>) => ({ path, response: await response });
  const kinds = [
    () => one('GET /pets/{petId}', fetch(`${base}/pets/${1 + (n % 20)}`)),
    () => one('POST /pets', send('POST', `${base}/pets`, { name: `Pet ${n}`, categoryId: 1 })),
    () => one('POST /store/orders', send('POST', `${base}/store/orders`, { petId: 1 })),
    () => one('POST /graphql', send('POST', `${base}/graphql`, { query: '{ pets(first: 5) { nodes { id name } } }' })),
  ];
  return (kinds[n % kinds.length] as (typeof kinds)[0])();
};

/**
 * Keeps that many requests in progress.
 *
 * @param pause between the requests of each client, in milliseconds
 */
export function startLoad(base: string, clients: number, { ask = mixed, pause = 5 } = {}): Load {
  const samples: Sample[] = [];
  let isOver = false;
  let n = 0;
  let underWay = 0;
  const client = async () => {
    while (!isOver) {
      underWay++;
      samples.push(await sample(base, ask, n++));
      underWay--;
      await sleep(pause);
    }
  };
  const running = Promise.all(Array.from({ length: clients }, client));
  return {
    samples,
    underWay: () => underWay,
    async stop() {
      isOver = true;
      await running;
    },
  };
}

/** Sends one request, and gives the result. */
export async function sample(base: string, ask: Ask, n: number): Promise<Sample> {
  const began = performance.now();
  const ending = () => ({ began, ended: performance.now() });
  try {
    const { path, response } = await ask(base, n);
    const text = await response.text();
    return { path, status: response.status, code: codeIn(text, response), ...ending() };
  } catch {
    return { path: '', status: 0, code: undefined, ...ending() };
  }
}

/** GraphQL has in its errors what REST has in its status. */
function codeIn(text: string, { ok }: Response): string | undefined {
  const body = JSON.parse(text) as { code?: string; errors?: { extensions?: { code?: string } }[] };
  if (body.errors !== undefined) return body.errors[0]?.extensions?.code ?? '';
  return ok ? undefined : (body.code ?? '');
}
