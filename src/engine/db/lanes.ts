import type { StatementKind } from './driver.ts';

/** A use of connections. Each has its own, so that none waits for another. */
export type Lane = StatementKind | 'waitingWrite' | 'transaction';

/** How many connections each lane has by default. They are opened as needed. */
export const CONNECTIONS: Readonly<Record<Lane, number>> = {
  lookup: 3,
  list: 3,
  count: 2,
  write: 3,
  waitingWrite: 2,
  transaction: 5,
};

export const DEFAULT_POOL = Object.values(CONNECTIONS).reduce((sum, one) => sum + one);
export const MIN_POOL = Object.values(CONNECTIONS).length;

/** In proportion to the default, at least one each. Transactions get no more than that: no more of them run at once. */
export function connectionsOf(pool: number): Readonly<Record<Lane, number>> {
  const given = { lookup: 1, list: 1, count: 1, write: 1, waitingWrite: 1, transaction: 1 };
  const partOf = (lane: Lane) => given[lane] / CONNECTIONS[lane];
  for (let left = pool - MIN_POOL; left > 0; left--) {
    const lanes = (Object.keys(given) as Lane[]).filter((lane) => lane !== 'transaction' || partOf(lane) < 1);
    given[lanes.reduce((least, lane) => (partOf(lane) < partOf(least) ? lane : least))]++;
  }
  return given;
}

/** How long a write waits for a row that others are changing, in this process or elsewhere, in milliseconds. */
export const MAX_LOCK_WAIT = 1_000;
/**
 * The same for each lane. A write that has waited that long moves to the lane of waiting writes. In a transaction it is
 * less than a server takes to detect a deadlock (1 s by default): two that wait for each other make all others wait.
 */
export const LOCK_TIMEOUTS: Readonly<Partial<Record<Lane, number>>> = {
  write: 20,
  waitingWrite: MAX_LOCK_WAIT,
  transaction: 500,
};
