import { isUtf8 } from 'node:buffer';
import { ServiceError } from '../errors.ts';
import { parseJson } from '../json.ts';
import { assertReadable } from '../limits/json.ts';
import type { Meter } from '../limits/meter.ts';

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** The largest body that is read, in bytes. */
const MAX_BODY_BYTES = 1_048_576;

/**
 * Reads a request's body to its end: undefined when it has more bytes than the limit. Rejects when it ends before it is
 * complete.
 *
 * @param caller who sends it: what is held for one caller is bounded, and beyond that it rejects with UNAVAILABLE
 */
export type BodyReader = (limit: number, caller: string) => Promise<Buffer | undefined>;

/** A request, as far as its body is concerned. */
export interface WithBody {
  readonly headers: Pick<Headers, 'get'>;
  readonly readBody: BodyReader;
  readonly meter: Meter;
}

/**
 * Reads a request's body as JSON, integers exact.
 *
 * @param take told how many bytes come, and once they have come how many more than that: what it throws is the failure, and
 *   what it waits for comes before they are read
 * @throws {ServiceError} PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE when it is encoded, MALFORMED_JSON, INVALID_ARGUMENT when the
 *   request was cut off
 */
export async function readJson(
  { headers, readBody, meter }: WithBody,
  take: (bytes: number) => Promise<void> | undefined,
): Promise<unknown> {
  const encoding = headers.get('content-encoding');
  if (encoding !== null && encoding !== 'identity') throw encoded(encoding);
  const told = Number(headers.get('content-length') ?? 0);
  if (told > MAX_BODY_BYTES) throw tooLarge();
  // A body that is rejected is not taken in.
  const turn = take(told);
  if (turn !== undefined) await turn;
  const bytes = await readBody(MAX_BODY_BYTES, meter.account).catch((cause: unknown) => {
    if (cause instanceof ServiceError) throw cause;
    throw new ServiceError('INVALID_ARGUMENT', 'The body ended before it was complete.', { cause });
  });
  if (bytes === undefined) throw tooLarge();
  const later = take(bytes.length - told);
  if (later !== undefined) await later;
  assertReadable(bytes);
  return parseBody(bytes);
}

function parseBody(bytes: Buffer): unknown {
  if (bytes.length === 0) throw malformed('The body is empty; it must be JSON.');
  if (bytes[0] === 0xef && bytes.subarray(0, 3).equals(BYTE_ORDER_MARK))
    throw malformed('The body starts with a byte order mark; remove it.');
  if (!isUtf8(bytes)) throw malformed('The body is not UTF-8, as JSON must be.');
  try {
    return parseJson(bytes.toString('utf8'));
  } catch (error) {
    throw malformed(`The body is not JSON: ${error instanceof SyntaxError ? error.message : 'it is nested too deep'}.`);
  }
}

function encoded(encoding: string): ServiceError {
  return new ServiceError('UNSUPPORTED_MEDIA_TYPE', `The body must not be encoded; Content-Encoding was ${encoding}.`, {
    headers: { 'accept-encoding': 'identity' },
  });
}

function tooLarge(): ServiceError {
  return new ServiceError('PAYLOAD_TOO_LARGE', `The body is larger than ${MAX_BODY_BYTES} bytes (1 MiB).`, {
    headers: { connection: 'close' },
  });
}

function malformed(message: string): ServiceError {
  return new ServiceError('MALFORMED_JSON', message);
}
