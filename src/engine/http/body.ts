import { isUtf8 } from 'node:buffer';
import { ServiceError } from '../errors.ts';
import { duplicateIn, parseJson, stringifyJson } from '../json.ts';
import { assertReadable } from '../limits/json.ts';
import { unitsOfValues } from '../limits/units.ts';
import { shorten } from '../text.ts';
import type { IncomingRequest } from './incoming.ts';

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

export const MAX_BODY_BYTES = 1_048_576;

/**
 * Reads a request's body as JSON, with exact integers. Charges the declared length before it reads, the rest afterwards.
 *
 * @throws {ServiceError} PAYLOAD_TOO_LARGE, MALFORMED_JSON, UNSUPPORTED_MEDIA_TYPE, or INVALID_ARGUMENT if incomplete
 */
export async function readJson(request: IncomingRequest): Promise<unknown> {
  const { headers, meter } = request;
  const encoding = headers.get('content-encoding');
  // Codings are case-insensitive (RFC 9110, section 8.4.1).
  if (encoding !== null && encoding.toLowerCase() !== 'identity') {
    const message = `The body must not be encoded; Content-Encoding was ${encoding}.`;
    throw new ServiceError('UNSUPPORTED_MEDIA_TYPE', message, { headers: { 'accept-encoding': 'identity' } });
  }
  const declared = Number(headers.get('content-length') ?? 0);
  if (declared > MAX_BODY_BYTES) throw tooLarge();
  await meter.chargeBody(declared);
  const bytes = await readBytes(request, MAX_BODY_BYTES);
  if (bytes === undefined) throw tooLarge();
  await meter.chargeBody(bytes.length - declared);
  meter.charge(unitsOfValues(assertReadable(bytes, 'The body')));
  return parseBody(bytes);
}

/** @throws {ServiceError} INVALID_ARGUMENT when the request has a body */
export async function assertNoBody(request: IncomingRequest): Promise<void> {
  const bytes = await readBytes(request, 0);
  if (bytes === undefined) throw new ServiceError('INVALID_ARGUMENT', 'This operation takes no body; omit it.');
}

/** Undefined for more bytes than the limit; throws INVALID_ARGUMENT if incomplete, UNAVAILABLE if too many are in memory. */
export function readBytes({ readBody, meter }: IncomingRequest, limit: number): Promise<Buffer | undefined> {
  return readBody(limit, meter.account).catch(incomplete);
}

function incomplete(error: unknown): never {
  if (error instanceof ServiceError) throw error;
  throw new ServiceError('INVALID_ARGUMENT', 'The body ended before it was complete.');
}

function parseBody(bytes: Buffer): unknown {
  if (bytes.length === 0) throw malformed('The body is empty; it must be JSON.');
  if (bytes[0] === 0xef && bytes.subarray(0, 3).equals(BYTE_ORDER_MARK))
    throw malformed('The body starts with a byte order mark; remove it.');
  if (!isUtf8(bytes)) throw malformed('The body is not UTF-8, as JSON must be.');
  return parseUnique(bytes.toString('utf8'), 'The body', malformed);
}

/** Parses JSON in which no object has a member twice; throws the error that is made of a message about `what`. */
export function parseUnique(text: string, what: string, errorOf: (message: string) => ServiceError): unknown {
  let duplicate: string | undefined;
  try {
    const value = parseJson(text);
    duplicate = duplicateIn(text, value);
    if (duplicate === undefined) return value;
  } catch (error) {
    throw errorOf(`${what} is not JSON: ${error instanceof SyntaxError ? error.message : 'it is nested too deep'}.`);
  }
  throw errorOf(`${what} has an object with the member ${shorten(stringifyJson(duplicate))} more than once.`);
}

function tooLarge(): ServiceError {
  const message = `The body is larger than ${MAX_BODY_BYTES} bytes (1 MiB).`;
  return new ServiceError('PAYLOAD_TOO_LARGE', message, { headers: { connection: 'close' } });
}

function malformed(message: string): ServiceError {
  return new ServiceError('MALFORMED_JSON', message);
}
