import { setTimeout as sleep } from 'node:timers/promises';
import { send } from './load.ts';

/** More than is ever ordered, for scenarios that do not test the stock. */
const PLENTY = 1_000_000;
/** The number of pets that the load reads. */
const PETS = 20;

/** Fills an empty database with one category and pets, the first of which is in stock. */
export async function fill(base: string, stock = PLENTY): Promise<void> {
  await made(send('POST', `${base}/categories`, { name: 'Dogs' }));
  for (let n = 0; n < PETS; n++) await made(send('POST', `${base}/pets`, { name: `Rex ${n}`, categoryId: 1 }));
  await made(send('PUT', `${base}/store/inventory/1`, { quantity: stock }));
}

/** One check of both endpoints, with its start and end. */
interface Look {
  readonly at: number;
  readonly until: number;
  readonly isReady: boolean;
  readonly isLive: boolean;
}

/** The repeated responses of `/readyz` and `/livez`. */
export interface Watch {
  readonly seen: readonly Look[];
  stop(): Promise<void>;
}

const LOOK_EVERY = 200;

export function watchHealth(base: string): Watch {
  const seen: Look[] = [];
  let isOver = false;
  const isOk = async (path: string) => {
    const response = await fetch(base + path, { signal: AbortSignal.timeout(3_000) });
    await response.text();
    return response.ok;
  };
  const look = async () => {
    while (!isOver) {
      const at = performance.now();
      const [isReady, isLive] = await Promise.all(['/readyz', '/livez'].map((path) => isOk(path).catch(() => false)));
      seen.push({ at, until: performance.now(), isReady: isReady === true, isLive: isLive === true });
      await sleep(LOOK_EVERY);
    }
  };
  const running = look();
  return {
    seen,
    async stop() {
      isOver = true;
      await running;
    },
  };
}

async function made(response: Promise<Response>): Promise<void> {
  const { ok, status, url } = await response;
  if (!ok) throw new Error(`${url} answered ${status}.`);
}
