import { ServiceError } from '../errors.ts';
import { stringifyJson } from '../json.ts';

/** Each parameter of a media type (RFC 9110, section 5.6.6): its name, and its value in quotes or without. */
const PARAMETERS = /;\s*([^\s;=]+)\s*=\s*(?:"([^"]*)"|([^\s;]*))/g;

/**
 * JSON has no character set but UTF-8 (RFC 8259, section 8.1): a client that declares another one means other characters than
 * would be read.
 *
 * @throws {ServiceError} UNSUPPORTED_MEDIA_TYPE when the field declares another one
 */
export function assertUtf8(contentType: string): void {
  for (const [, name, quoted, plain] of contentType.matchAll(PARAMETERS)) {
    const charset = quoted ?? plain ?? '';
    if (name?.toLowerCase() !== 'charset' || /^utf-?8$/i.test(charset)) continue;
    const message = `The body must be in UTF-8, as JSON is; Content-Type says charset ${stringifyJson(charset)}.`;
    throw new ServiceError('UNSUPPORTED_MEDIA_TYPE', message);
  }
}
