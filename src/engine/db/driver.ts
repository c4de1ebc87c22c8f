/** A value on its way to the database, in a form that both drivers pass on unchanged. */
export type Parameter = string | number | boolean | null;

/** A row as the database gives it: int8 and timestamptz as text, in the order of the columns. */
export type RawRow = readonly unknown[];

/**
 * What a statement does, by which connections are shared out: a lookup reads rows by their keys, and is soon done; a list
 * reads a page; a count may read all of a table; a write may wait for rows that others have locked.
 */
export type Kind = 'lookup' | 'list' | 'count' | 'write';

/** Runs one statement; rejects with a `DatabaseError`, or a `ServiceError` when the database is away or too slow. */
export type Query = (text: string, parameters: readonly Parameter[]) => Promise<readonly RawRow[]>;

/** The same on whichever connection its kind has. */
export type KindQuery = (text: string, parameters: readonly Parameter[], kind: Kind) => Promise<readonly RawRow[]>;

/** The one difference between the embedded database and a server: how a statement gets there. */
export interface Driver {
  readonly kind: 'embedded' | 'server';
  readonly query: KindQuery;
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

/**
 * The parameter for a value: int64s and dates as text, a list as a PostgreSQL array literal, and what is undefined as null.
 *
 * @throws {TypeError} for a value that no column has, such as an object or a list of lists
 */
export function toParameter(value: unknown): Parameter {
  return Array.isArray(value) ? `{${value.map(toElement).join(',')}}` : toScalar(value);
}

function toScalar(value: unknown): Parameter {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof Date) return value.toISOString();
  throw new TypeError(`A statement cannot take ${typeof value}.`);
}

/** One element of an array literal (PostgreSQL, section 8.15.6): a text in quotes means itself, whatever characters it has. */
function toElement(value: unknown): string {
  const scalar = toScalar(value);
  if (scalar === null) return 'null';
  return typeof scalar === 'string' ? `"${scalar.replaceAll(/["\\]/g, '\\$&')}"` : String(scalar);
}
