import { hash } from 'node:crypto';
import { ServiceError } from '../errors.ts';

const TAG = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g;
const TAGS = new RegExp(`^[\\s,]*(?:\\*|${TAG.source}(?:[\\s,]+${TAG.source})*)[\\s,]*$`);
/** The maximum length of a precondition, in characters: thousands of tags would take as long as many reads. */
const MAX_LENGTH = 2_000;
/** What servers that compress append to a tag, such as Apache's httpd. */
const CODING = /-{1,2}(?:gzip|br|deflate|zstd)"$/;

/** The strong entity tag of a response's text (RFC 9110, section 8.8.3). */
export function tagOf(text: string): string {
  return `"${hash('sha1', text, 'base64url')}"`;
}

/**
 * The entity tags of a precondition, with their quotes, or `*` for any; those with the suffix of a content coding also
 * without it.
 *
 * @throws {ServiceError} INVALID_ARGUMENT
 */
export function readTags(name: string, field: string, accepted = '* or ETags'): readonly string[] {
  if (field.length > MAX_LENGTH)
    throw new ServiceError('INVALID_ARGUMENT', `${name} may have at most ${MAX_LENGTH} characters.`);
  if (TAGS.test(field))
    return [...new Set(field.match(TAG)?.flatMap((tag) => [tag, tag.replace(CODING, '"')]) ?? ['*'])];
  throw new ServiceError('INVALID_ARGUMENT', `${name} must be ${accepted} in their quotes, such as "3".`);
}

/** Whether `If-None-Match` has the tag, by weak comparison (RFC 9110, section 13.1.2): the client has the response. */
export function isKnown(etag: string, ifNoneMatch: string | null): boolean {
  if (ifNoneMatch === null) return false;
  const opaque = (tag: string) => tag.replace(/^W\//, '');
  return readTags('If-None-Match', ifNoneMatch).some((tag) => tag === '*' || opaque(tag) === opaque(etag));
}
