import { hash } from 'node:crypto';
import { ServiceError } from '../errors.ts';

const TAG = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g;
const TAGS = new RegExp(`^\\s*(?:\\*|${TAG.source}(?:[\\s,]+${TAG.source})*)[\\s,]*$`);

/** The strong entity tag (RFC 9110, section 8.8.3) of a text that is answered: another text has another. */
export function tagOf(text: string): string {
  return `"${hash('sha1', text, 'base64url')}"`;
}

/**
 * Reads the entity tags that a precondition names.
 *
 * @param name the field's name, for the error
 * @returns the tags with their quotes; `*` stands for any
 * @throws {ServiceError} INVALID_ARGUMENT when it names none
 */
export function readTags(name: string, field: string): readonly string[] {
  if (!TAGS.test(field)) {
    throw new ServiceError('INVALID_ARGUMENT', `${name} must be * or ETags in their quotes, such as "3".`);
  }
  return field.match(TAG) ?? ['*'];
}

/** Whether the client has what the tag stands for: by the weak comparison, as `If-None-Match` is defined. */
export function isKnown(etag: string, ifNoneMatch: string | null): boolean {
  if (ifNoneMatch === null) return false;
  const known = readTags('If-None-Match', ifNoneMatch);
  return known.includes('*') || known.some((tag) => opaque(tag) === opaque(etag));
}

/** Whether it is one of those that the client wants: by the strong comparison, as `If-Match` is defined. */
export function isWanted(etag: string, ifMatch: string): boolean {
  const wanted = readTags('If-Match', ifMatch);
  return wanted.includes('*') || wanted.includes(etag);
}

function opaque(tag: string): string {
  return tag.replace(/^W\//, '');
}
