import type { Kind } from './driver.ts';

/**
 * What the connections of a process are for: each kind of statement, writes that wait for a row, and transactions. Each has
 * its own, so that none waits for those of another kind.
 */
export type Lane = Kind | 'waitingWrite' | 'transaction';

/** How many connections each has. They are opened as they are needed. */
export const CONNECTIONS: Readonly<Record<Lane, number>> = {
  lookup: 3,
  list: 3,
  count: 2,
  write: 3,
  waitingWrite: 2,
  transaction: 5,
};

/** How long a write waits at most for a row that others have locked, in milliseconds. */
export const LONGEST_LOCK_WAIT = 1_000;
/**
 * How long each waits for a row that others have locked, in milliseconds. A write that has waited so long goes on where
 * writes wait, so that it holds up no other. In a transaction it is less than what a server takes to find a deadlock, for
 * two that wait for each other have all others wait.
 */
export const LOCK_TIMEOUTS: Readonly<Partial<Record<Lane, number>>> = {
  write: 20,
  waitingWrite: LONGEST_LOCK_WAIT,
  transaction: 500,
};
