import { constants } from 'node:os';
import { RETRY_SOON, ServiceError } from '../errors.ts';

/** The database rejected a statement. */
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

/** What a server reports of an error, as each driver gives it. */
export interface ReportedError extends Error {
  readonly code: string;
  readonly constraint?: string | undefined;
}

const STATEMENT_CANCELED = '57014';
const LOCK_NOT_AVAILABLE = '55P03';
const DEADLOCK = '40P01';

/**
 * By SQLSTATE, what lies with the server or the way to it and not with the statement: connections, resources, an operator's
 * intervention, errors of its system, authentication, a database that is gone, a standby that takes no writes, and
 * transactions that it has ended for their time.
 */
const OF_SERVER = /^(08|53|57P|58|28|3D|25006|25P03|25P04)/;

/** What a mistake in our own use of a driver is called; every other error that no server reported is of the connection. */
const MISUSE: ReadonlySet<string> = new Set([
  'COPY_IN_PROGRESS',
  'MAX_PARAMETERS_EXCEEDED',
  'MESSAGE_NOT_SUPPORTED',
  'NOT_TAGGED_CALL',
  'UNDEFINED_VALUE',
  'UNSAFE_TRANSACTION',
]);

/** The failure that an error which a server has reported stands for. */
export function failureOf(error: ReportedError): ServiceError | DatabaseError {
  const { code: state, constraint, message } = error;
  if (state === STATEMENT_CANCELED) return tooSlow(error);
  if (state === LOCK_NOT_AVAILABLE) return new LockTimeout(error);
  return OF_SERVER.test(state) ? unavailable(error) : new DatabaseError(message, state, constraint, error);
}

/** The failure that an error of the connection stands for; an error of our own code as it is. */
export function failureOfConnection(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof ServiceError) return error;
  const { code } = error as NodeJS.ErrnoException;
  if (typeof code !== 'string' || MISUSE.has(code)) return error;
  const isOfSystem = Object.hasOwn(constants.errno, code);
  const isOfOurs = error instanceof TypeError || error instanceof RangeError;
  return isOfOurs && !isOfSystem ? error : unavailable(error);
}

/** Whether the statement was the victim of a deadlock. */
export function isDeadlock(error: unknown): boolean {
  return error instanceof DatabaseError && error.state === DEADLOCK;
}

/** A row was locked for longer than a statement waits. Nothing was done. */
export class LockTimeout extends ServiceError {
  constructor(cause: unknown) {
    super('UNAVAILABLE', 'Other requests are changing the same rows; try again.', { cause, headers: RETRY_SOON });
  }
}

/** The failure of what the database has not done in time. */
export function tooSlow(cause?: unknown): ServiceError {
  return new ServiceError('TIMEOUT', 'The database took too long; try again.', { cause, headers: RETRY_SOON });
}

/** The failure of what found no server that can work. */
export function unavailable(cause: unknown): ServiceError {
  const message = 'The database cannot be reached at the moment; try again.';
  return new ServiceError('UNAVAILABLE', message, { cause, headers: RETRY_SOON });
}
