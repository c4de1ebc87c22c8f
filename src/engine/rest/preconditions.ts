import { ServiceError } from '../errors.ts';
import { readTags } from '../http/etag.ts';
import type { RequestHeaders } from '../http/headers.ts';

/** The variable with the accepted versions of the row, which come from `If-Match`. */
export const EXPECTED_VERSION = 'expectedVersion';
/** The version of a row that does not exist yet. */
const NOT_THERE = 0;
const IF_NONE_MATCH_WITH_CHANGE = 'If-None-Match is for GET and HEAD; use If-Match with a change';
const IF_NONE_MATCH_WITH_CREATION = 'If-None-Match must be * here, and cannot be sent with If-Match';
const ONLY_WEAK = 'If-Match never matches a weak ETag. Send it without the W/, which a proxy that compresses adds.';
/**
 * The accepted versions of the row (RFC 9110, section 13.1); undefined for any. Ignoring a precondition that the
 * operation cannot check could lose an update.
 *
 * @param conditions whether the operation changes a row with a version, always creates one, and creates a missing one
 * @throws {ServiceError} INVALID_ARGUMENT, or PRECONDITION_FAILED if no tag could match, whatever the row's version
 */
export function expectedVersions(
  headers: RequestHeaders,
  { isWrite, isNew, mayCreate }: Readonly<Record<'isWrite' | 'isNew' | 'mayCreate', boolean>>,
): readonly number[] | undefined {
  const ifMatch = headers.get('if-match');
  const ifNoneMatch = headers.get('if-none-match');
  if (ifMatch === null && ifNoneMatch === null) return undefined;
  if (!isWrite) {
    const reason = isNew ? ', because the row does not exist yet' : '';
    throw unusable(`If-Match and If-None-Match cannot be used here${reason}`);
  }
  if (ifNoneMatch !== null) {
    if (mayCreate && ifMatch === null && ifNoneMatch === '*') return [NOT_THERE];
    throw unusable(mayCreate ? IF_NONE_MATCH_WITH_CREATION : IF_NONE_MATCH_WITH_CHANGE);
  }
  const tags = readTags('If-Match', ifMatch as string, mayCreate ? 'ETags' : '* or ETags');
  if (tags.every((tag) => tag.startsWith('W/'))) throw new ServiceError('PRECONDITION_FAILED', ONLY_WEAK);
  if (!tags.includes('*')) return tags.flatMap(versionOf);
  if (mayCreate) throw unusable('If-Match cannot be * here; send the ETag, or omit If-Match');
  return undefined;
}

/** Whether `If-Match` has the tag (RFC 9110, section 13.1.1), or its version, which is enough with a change too. */
export function isMatch(etag: string, ifMatch: string): boolean {
  const [version] = versionOf(etag);
  const isVersion = (tag: string) => version !== undefined && versionOf(tag)[0] === version;
  return readTags('If-Match', ifMatch).some((tag) => tag === '*' || tag === etag || isVersion(tag));
}

/** The version of a tag such as `"3-Xk2p0w"`, also of an earlier release, or `"3"`; none for `"0"` and weak tags. */
function versionOf(tag: string): number[] {
  const digits = /^"([1-9]\d{0,14})(?:-[\w-]{6})?"$/.exec(tag)?.[1];
  return digits === undefined ? [] : [Number(digits)];
}

function unusable(message: string): ServiceError {
  return new ServiceError('INVALID_ARGUMENT', `${message}.`);
}
