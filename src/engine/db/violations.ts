import { ServiceError } from '../errors.ts';

/** The database rejected a statement. */
export class DatabaseError extends Error {
  /** The SQLSTATE, five characters: PostgreSQL's appendix A. */
  readonly state: string;
  readonly constraint: string | undefined;

  constructor(message: string, state: string, constraint: string | undefined, cause: unknown) {
    super(message, { cause });
    this.state = state;
    this.constraint = constraint;
  }
}

/** An error that the server reports, as both drivers give it. */
export interface ReportedError extends Error {
  readonly code: string;
  readonly constraint?: string | undefined;
}

const STATEMENT_CANCELED = '57014';
const LOCK_NOT_AVAILABLE = '55P03';
const DEADLOCK = '40P01';
const READ_ONLY = '25006';
/** The SQLSTATEs of a violated foreign key: the second one is of `on delete restrict`. */
export const FOREIGN_KEY_VIOLATIONS: readonly string[] = ['23503', '23001'];
/** The SQLSTATE of a number outside its column's range. */
export const OUT_OF_RANGE = '22003';

/**
 * Failures of the server or the connection, not of the statement: connections, resources, an operator's intervention,
 * system errors, authentication, a missing or closed database, and transactions that took too long.
 */
const OF_SERVER = /^(08|53|57P|58|28|3D|55000|25P03|25P04)/;

export function failureOf(error: ReportedError): ServiceError | DatabaseError {
  const { code: state, constraint, message } = error;
  if (state === STATEMENT_CANCELED) return tooSlow(error);
  if (state === LOCK_NOT_AVAILABLE) return new LockTimeout(error);
  if (state === READ_ONLY) return onlyReads(error);
  return OF_SERVER.test(state) ? unavailable(error) : new DatabaseError(message, state, constraint, error);
}

/** Explains a violated constraint to the client, by its name, or by the SQLSTATE if no constraint is involved. */
export async function translateViolations<T>(
  write: Promise<T>,
  explain: (violated: string, state: string) => Error | undefined,
): Promise<T> {
  try {
    return await write;
  } catch (error) {
    throw (error instanceof DatabaseError && explain(error.constraint ?? error.state, error.state)) || error;
  }
}

export function isDeadlock(error: unknown): boolean {
  return error instanceof DatabaseError && error.state === DEADLOCK;
}

/** A row was locked for longer than a statement waits for it, or for its turn. Nothing was changed. */
export class LockTimeout extends ServiceError {
  constructor(cause?: unknown) {
    super('UNAVAILABLE', 'Other requests are changing the same rows; try again.', { cause });
  }
}

/** A read has waited too long for a table: requests lock rows only, so it was an operator. */
export function tableLocked(cause: unknown): ServiceError {
  return new ServiceError('UNAVAILABLE', 'What this reads is locked at the moment; try again.', { cause });
}

export function tooSlow(cause?: unknown): ServiceError {
  return new ServiceError('TIMEOUT', 'The database took too long; try again.', { cause });
}

export function overloaded(): ServiceError {
  return new ServiceError('UNAVAILABLE', 'The database is overloaded at the moment; try again.');
}

/** It is a standby, or its settings make transactions read-only. */
function onlyReads(cause: unknown): ServiceError {
  return new ServiceError('UNAVAILABLE', 'The database accepts only reads at the moment; try again.', { cause });
}

export function unavailable(cause: unknown): ServiceError {
  return new ServiceError('UNAVAILABLE', 'The database cannot be reached at the moment; try again.', { cause });
}
