import { RETRY_SOON, ServiceError } from '../errors.ts';

/** A value on its way to the database, in a form that both drivers pass on unchanged. */
export type Parameter = string | number | boolean | null;

/** A row as the database gives it: int8 and timestamptz as text, in the order of the columns. */
export type RawRow = readonly unknown[];

/** Runs one statement; rejects with a `DatabaseError`, or a `ServiceError` when the database is away or too slow. */
export type Query = (text: string, parameters: readonly Parameter[]) => Promise<readonly RawRow[]>;

/** The one difference between the embedded database and a server: how a statement gets there. */
export interface Driver {
  readonly kind: 'embedded' | 'server';
  readonly query: Query;
  /**
   * Runs the work in one transaction on one connection; rolls back when it rejects.
   *
   * @param work may read before the transaction has begun, so as not to wait for that; before it changes anything it has to
   *   wait
   * @param until when it must be over, as `performance.now` tells the time; undefined for as long as it takes
   */
  transaction<T>(work: (query: Query, begun: Promise<unknown>) => Promise<T>, until: number | undefined): Promise<T>;
  close(): Promise<void>;
}

/** The database refused a statement. */
export class DatabaseError extends Error {
  /** The SQLSTATE, five characters: PostgreSQL's appendix A. */
  readonly state: string;
  /** The constraint that was violated, when it was one. */
  readonly constraint: string | undefined;

  constructor(message: string, state: string, constraint: string | undefined, cause: unknown) {
    super(message, { cause });
    this.state = state;
    this.constraint = constraint;
  }
}

/** The failure of what the database has not done in time. */
export function tooSlow(cause?: unknown): ServiceError {
  return new ServiceError('TIMEOUT', 'The database took too long; try again.', { cause, headers: RETRY_SOON });
}

/** Whether the statement changes nothing, so that it may run twice, or in vain. */
export function isRead(text: string): boolean {
  return /^select\b/i.test(text);
}

/**
 * The parameter for a value: int64s and dates as text, a list of integers or of enum values as a PostgreSQL array
 * literal, and what is undefined as null.
 */
export function toParameter(value: unknown): Parameter {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return `{${value.join(',')}}`;
  throw new TypeError(`A statement cannot take ${typeof value}.`);
}
