import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { RETRY_SOON, ServiceError } from '../errors.ts';
import type { Int64 } from '../int64.ts';

/** The versions that a row may have for a write to succeed; null or undefined allow any version. */
export type ExpectedVersion = readonly Int64[] | null | undefined;

/** The condition that a row has one of the expected versions, by default those of a placeholder; null allows any. */
export function versionCondition(
  version: SQLWrapper,
  expected: SQLWrapper = sql`${sql.placeholder('expectedVersion')}::bigint[]`,
): SQL {
  return sql`coalesce(${version} = any(${expected}), true)`;
}

/** The same check as `versionCondition`, for a row that was read. */
export function hasExpectedVersion({ version }: { readonly version: number }, expected: ExpectedVersion): boolean {
  return expected == null || expected.includes(version);
}

/** When the row `what` is unchanged: PRECONDITION_FAILED, or CONFLICT if another request was changing it. */
export function versionMismatch(
  what: string,
  row: { readonly version: number },
  expected: ExpectedVersion,
): ServiceError {
  if (hasExpectedVersion(row, expected)) {
    const message = `${what} is being changed by another request; try again.`;
    return new ServiceError('CONFLICT', message, { headers: RETRY_SOON });
  }
  return new ServiceError('PRECONDITION_FAILED', `${what} does not have the expected version.`, {
    detailedMessage: `${what} ${differs(row.version, expected)}. Read it again before you change it.`,
  });
}

/** Version 0 stands for a row that doesn't exist. */
function differs(version: number, expected: ExpectedVersion): string {
  const wanted = expected?.join(' or ') || 'another';
  if (wanted === '0') return `already exists, with version ${version}; it must not exist`;
  if (version === 0) return 'does not exist, so it has no version';
  return `has version ${version}; the expected version is ${wanted}`;
}
