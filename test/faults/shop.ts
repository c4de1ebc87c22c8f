import { setTimeout as sleep } from 'node:timers/promises';
import { send } from './load.ts';

/** More than is ever ordered, where the stock is not what is looked at. */
const PLENTY = 1_000_000;
/** As many pets as the load reads. */
const PETS = 20;

/** Fills an empty database: one category, and pets of which the first is in stock. */
export async function fill(base: string, stock = PLENTY): Promise<void> {
  await made(send('POST', `${base}/categories`, { name: 'Dogs' }));
  for (let n = 0; n < PETS; n++) await made(send('POST', `${base}/pets`, { name: `Rex ${n}`, categoryId: 1 }));
  await made(send('PUT', `${base}/store/inventory/1`, { quantity: stock }));
}

/** A look at both, from when until when. */
interface Look {
  readonly at: number;
  readonly until: number;
  readonly isReady: boolean;
  readonly isLive: boolean;
}

/** What `/readyz` and `/livez` answer, looked at again and again. */
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
