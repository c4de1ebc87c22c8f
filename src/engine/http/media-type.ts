import { ServiceError } from '../errors.ts';
import { stringifyJson } from '../json.ts';

/** The parameters of a media type (RFC 9110, section 5.6.6): each has a name, and a value with or without quotes. */
const PARAMETERS = /;\s*([^\s;=]+)\s*=\s*(?:"([^"]*)"|([^\s;]*))/g;

/** Throws UNSUPPORTED_MEDIA_TYPE for a charset other than UTF-8, the only one of JSON (RFC 8259, section 8.1). */
export function assertUtf8(contentType: string): void {
  for (const [, name = '', quoted, plain = ''] of contentType.matchAll(PARAMETERS)) {
    const charset = quoted ?? plain;
    if (name.toLowerCase() !== 'charset' || /^utf-?8$/i.test(charset)) continue;
    const message = `The body must be in UTF-8, as JSON is; Content-Type says charset ${stringifyJson(charset)}.`;
    throw new ServiceError('UNSUPPORTED_MEDIA_TYPE', message);
  }
}
