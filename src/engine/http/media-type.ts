import { ServiceError } from '../errors.ts';
import { stringifyJson } from '../json.ts';

/** The parameters of a media type (RFC 9110, section 5.6.6): each has a name, and a value with or without quotes. */
const PARAMETERS = /;\s*([^\s;=]+)\s*=\s*(?:"([^"]*)"|([^\s;]*))/g;

/**
 * Throws UNSUPPORTED_MEDIA_TYPE, with the header fields, for a media type that is not accepted, and for a charset other
 * than UTF-8, the only one of JSON (RFC 8259, section 8.1).
 */
export function assertMediaType(
  contentType: string | null,
  accepted: readonly string[],
  headers: Readonly<Record<string, string>> = {},
): void {
  // As most clients send it: to look for parameters takes longer than to parse a small body.
  if (contentType !== null && accepted.includes(contentType)) return;
  const unsupported = (message: string) => new ServiceError('UNSUPPORTED_MEDIA_TYPE', message, { headers });
  const essence = contentType?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (contentType === null || !accepted.includes(essence)) {
    const sent = contentType === null ? 'none was sent' : `not ${stringifyJson(contentType)}`;
    throw unsupported(`Content-Type must be ${accepted.join(' or ')}; ${sent}.`);
  }
  // Of two fields, which Node joins, another reader may take the other one.
  if (contentType.replaceAll(/"[^"]*"/g, '').includes(',')) throw unsupported('Content-Type must be sent once.');
  for (const [, name = '', quoted, plain = ''] of contentType.matchAll(PARAMETERS)) {
    const charset = quoted ?? plain;
    if (name.toLowerCase() !== 'charset' || /^utf-?8$/i.test(charset)) continue;
    throw unsupported(`The body must be in UTF-8, as JSON is; Content-Type says charset ${stringifyJson(charset)}.`);
  }
}
