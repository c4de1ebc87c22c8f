import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { bigint } from 'drizzle-orm/pg-core';
import { RETRY_SOON, ServiceError } from '../errors.ts';
import type { Int64 } from '../int64.ts';

/** The versions that a row may have for a write to happen; any, where it is null or undefined. */
export type ExpectedVersion = readonly Int64[] | null | undefined;

interface Versioned {
  readonly version: number;
}

/** The column that counts the changes of a row, from 1: each statement that changes a value of the row adds one. */
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
 * @param what names the row, such as `Book 12`
 */
export function notExpected(what: string, row: Versioned, expected: ExpectedVersion): ServiceError {
  if (hasExpected(row, expected)) return beingChanged(what);
  return new ServiceError('PRECONDITION_FAILED', `${what} does not have the expected version.`, {
    toReaders: `${what} ${differs(row.version, expected)}. Read it again before you change it.`,
  });
}

/** Version 0 is that of a row that is not there. */
function differs(version: number, expected: ExpectedVersion): string {
  const wanted = expected?.join(' or ') || 'another';
  if (wanted === '0') return `already exists, with version ${version}; it must not exist`;
  if (version === 0) return 'does not exist, so it has no version';
  return `has version ${version}; the expected version is ${wanted}`;
}

/** The failure of a write that has found its row as it should be, and yet could not change it: others were changing it. */
export function beingChanged(what: string): ServiceError {
  return new ServiceError('CONFLICT', `${what} is being changed by another request; try again.`, {
    headers: RETRY_SOON,
  });
}

/** What is added to the version by a write that sets these columns: 1 where one of them changes, otherwise 0. */
export function changesOf(...columns: readonly (readonly [column: SQLWrapper, value: SQLWrapper])[]): SQL {
  const before = columns.map(([column]) => sql`${column}`);
  const after = columns.map(([, value]) => sql`${value}`);
  return sql`(row(${sql.join(before, sql`, `)}) is distinct from row(${sql.join(after, sql`, `)}))::integer`;
}
