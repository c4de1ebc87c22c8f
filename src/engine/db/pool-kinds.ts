import type { StatementKind } from './driver.ts';

/** What connections are used for. Each kind has a pool of its own, so that none waits for another. */
export type PoolKind = StatementKind | 'waitingWrite' | 'transaction';

/** How many connections each pool has by default. They are opened as needed. */
export const CONNECTIONS: Readonly<Record<PoolKind, number>> = {
  lookup: 3,
  list: 3,
  count: 2,
  write: 3,
  waitingWrite: 2,
  transaction: 5,
};

export const DEFAULT_POOL = Object.values(CONNECTIONS).reduce((sum, one) => sum + one);
export const MIN_POOL = Object.values(CONNECTIONS).length;

/** In proportion to the defaults, at least one each. Transactions never get more than theirs: no more run at once. */
export function connectionsOf(pool: number): Readonly<Record<PoolKind, number>> {
  const given = { lookup: 1, list: 1, count: 1, write: 1, waitingWrite: 1, transaction: 1 };
  const partOf = (kind: PoolKind) => given[kind] / CONNECTIONS[kind];
  for (let left = pool - MIN_POOL; left > 0; left--) {
    const kinds = (Object.keys(given) as PoolKind[]).filter((kind) => kind !== 'transaction' || partOf(kind) < 1);
    given[kinds.reduce((least, kind) => (partOf(kind) < partOf(least) ? kind : least))]++;
  }
  return given;
}

/**
 * The part of the deadline that a statement or a transaction may wait for a connection. What is sent with little time
 * left is soon given up, which costs the connection, and leaves it unknown whether anything was changed.
 */
export const WAIT_PART = 0.5;

/** How long a write waits for a row that others are changing, in this process or elsewhere, in milliseconds. */
export const MAX_LOCK_WAIT = 1_000;
/** How long a read waits for a table that an operator has locked, as `vacuum full` does, before others have their turn. */
const LOCKED_TABLE_WAIT = 900;

/**
 * The same for each pool. A write that has waited that long moves to the pool for waiting writes. For transactions it is
 * less than a server takes to detect a deadlock (1 s by default): two that wait for each other make all others wait.
 */
export const LOCK_TIMEOUTS: Readonly<Record<PoolKind, number>> = {
  lookup: LOCKED_TABLE_WAIT,
  list: LOCKED_TABLE_WAIT,
  count: LOCKED_TABLE_WAIT,
  write: 20,
  waitingWrite: MAX_LOCK_WAIT,
  transaction: 500,
};
