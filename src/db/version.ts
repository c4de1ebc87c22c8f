import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { bigint } from 'drizzle-orm/pg-core';
import { RETRY_SOON, ServiceError } from '../errors.ts';
import type { Int64 } from '../int64.ts';

/** The versions that a row may have for a write to happen; any, where it is null or undefined. */
export type ExpectedVersion = readonly Int64[] | null | undefined;

interface Versioned {
  readonly version: number;
}

/** The column that counts the changes of a row, from 1: each statement that changes the row adds one. */
export function versionColumn() {
  return bigint('version', { mode: 'number' }).notNull().default(1);
}

/** Whether a row has one of the versions of the placeholder `expectedVersion`; true of each row where that is null. */
export function isExpected(version: SQLWrapper): SQL {
  return sql`coalesce(${version} = any(${sql.placeholder('expectedVersion')}::bigint[]), true)`;
}

/** The same as `isExpected`, of a row that was read. */
export function hasExpected({ version }: Versioned, expected: ExpectedVersion): boolean {
  return expected == null || expected.includes(version);
}

/**
 * The failure of a write that has left a row as it is: PRECONDITION_FAILED, or CONFLICT when the row was being changed by
 * somebody else just then.
 *
 * @param what names the row, such as `Pet 12`
 */
export function notExpected(what: string, row: Versioned, expected: ExpectedVersion): ServiceError {
  if (hasExpected(row, expected)) {
    return new ServiceError('CONFLICT', `${what} was being changed; try again.`, { headers: RETRY_SOON });
  }
  const wanted = expected?.join(' or ') || 'another';
  return new ServiceError('PRECONDITION_FAILED', `${what} does not have the version that was expected.`, {
    toReaders: `${what} has version ${row.version}; ${wanted} was expected. Read it again, and decide anew.`,
  });
}
