import type { Kind } from './driver.ts';

/**
 * What the connections of a process are for: each kind of statement, writes that wait for a row, and transactions. Each has
 * its own, so that none waits for those of another kind.
 */
export type Lane = Kind | 'waitingWrite' | 'transaction';

/** How many connections each has of the usual number. They are opened as they are needed. */
export const CONNECTIONS: Readonly<Record<Lane, number>> = {
  lookup: 3,
  list: 3,
  count: 2,
  write: 3,
  waitingWrite: 2,
  transaction: 5,
};

/** How many connections a process has where it is not told otherwise. */
export const USUAL_POOL = Object.values(CONNECTIONS).reduce((sum, one) => sum + one);
/** With one for each lane. */
export const SMALLEST_POOL = Object.values(CONNECTIONS).length;

/**
 * Shares connections out among the lanes, each at least one, in proportion to what is usual.
 *
 * @param pool how many there are, `SMALLEST_POOL` or more
 */
export function connectionsOf(pool: number): Readonly<Record<Lane, number>> {
  const given = { lookup: 1, list: 1, count: 1, write: 1, waitingWrite: 1, transaction: 1 };
  const lanes = Object.keys(given) as Lane[];
  const partOf = (lane: Lane) => given[lane] / CONNECTIONS[lane];
  for (let left = pool - SMALLEST_POOL; left > 0; left--) {
    given[lanes.reduce((least, lane) => (partOf(lane) < partOf(least) ? lane : least))]++;
  }
  return given;
}

/** How long a write waits at most for a row that others have locked, in milliseconds. */
export const MAX_LOCK_WAIT = 1_000;
/**
 * How long each waits for a row that others have locked, in milliseconds. A write that has waited so long goes on where
 * writes wait, so that it holds up no other. In a transaction it is less than what a server takes to find a deadlock, for
 * two that wait for each other have all others wait.
 */
export const LOCK_TIMEOUTS: Readonly<Partial<Record<Lane, number>>> = {
  write: 20,
  waitingWrite: MAX_LOCK_WAIT,
  transaction: 500,
};
