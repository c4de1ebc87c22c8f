import { makePgArray } from 'drizzle-orm/pg-core';

/** A statement's parameter, in a form that both drivers pass on unchanged. */
export type Parameter = string | number | boolean | null;

/** A row as the database returns it, in the order of the columns; int8 and timestamptz are text. */
export type RawRow = readonly unknown[];

/** A statement reads rows by key, reads a page, counts (and may read a whole table), or may wait for locked rows. */
export type StatementKind = 'lookup' | 'list' | 'count' | 'write';

/** Rejects with a `DatabaseError`, or with a `ServiceError` when the database is unavailable or too slow. */
export type Query = (text: string, parameters: readonly Parameter[]) => Promise<readonly RawRow[]>;

/** @param group what it is about, such as `books`: of several connections for lookups or lists, the reads of one group never take all */
export type DriverQuery = (
  text: string,
  parameters: readonly Parameter[],
  kind: StatementKind,
  group?: string,
) => Promise<readonly RawRow[]>;

/** May send reads before `begun` resolves, to save a round trip, but no changes. */
export type TransactionWork<T> = (query: Query, begun: Promise<unknown>) => Promise<T>;

/** Times of `performance.now`. */
export interface TransactionLimits {
  /** When its statements must have ended. */
  readonly until: number;
  /** When its commit must have ended. Giving up a commit does not undo it, or free the rows. */
  readonly latest: number;
}

/** How statements reach the database: the only difference between the embedded database and a server. */
export interface Driver {
  readonly kind: 'embedded' | 'server';
  readonly query: DriverQuery;
  /** Runs the work in one transaction on one connection; rolls back when it rejects. Without limits, there are none. */
  transaction<T>(work: TransactionWork<T>, limits: TransactionLimits | undefined): Promise<T>;
  close(): Promise<void>;
}

/** @throws {TypeError} for a value that no column can have, such as an object or a list of lists */
export function toParameter(value: unknown): Parameter {
  return Array.isArray(value) ? makePgArray(value.map(toScalar)) : toScalar(value);
}

function toScalar(value: unknown): Parameter {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof Date) return value.toISOString();
  throw new TypeError(`A statement cannot take ${typeof value}: pass JSON as text.`);
}
