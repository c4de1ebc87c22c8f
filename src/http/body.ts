import { isUtf8 } from 'node:buffer';
import { ServiceError } from '../errors.ts';
import { parseJson } from '../json.ts';

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** The largest body that is read, in bytes. */
const LARGEST_BODY = 1_048_576;

/**
 * Reads a request's body as JSON, integers exact.
 *
 * @throws {ServiceError} PAYLOAD_TOO_LARGE, MALFORMED_JSON, or INVALID_ARGUMENT when the request was cut off
 */
export async function readJson(request: Request): Promise<unknown> {
  const bytes = await readBytes(request);
  if (bytes.length === 0) throw malformed('The body is empty; it must be JSON.');
  if (bytes.subarray(0, 3).equals(BYTE_ORDER_MARK))
    throw malformed('The body begins with a byte order mark; leave it out.');
  if (!isUtf8(bytes)) throw malformed('The body is not UTF-8, as JSON must be.');
  try {
    return parseJson(bytes.toString('utf8'));
  } catch (error) {
    throw malformed(`The body is not JSON: ${error instanceof SyntaxError ? error.message : 'it is nested too deep'}.`);
  }
}

/** @throws {ServiceError} as `readJson` does, but for MALFORMED_JSON */
async function readBytes(request: Request): Promise<Buffer> {
  const encoding = request.headers.get('content-encoding') ?? 'identity';
  if (encoding !== 'identity') {
    throw new ServiceError(
      'UNSUPPORTED_MEDIA_TYPE',
      `The body must not be encoded; Content-Encoding was ${encoding}.`,
      {
        headers: { 'accept-encoding': 'identity' },
      },
    );
  }
  const declared = request.headers.get('content-length');
  if (declared !== null && Number(declared) > LARGEST_BODY) throw tooLarge();
  try {
    // Node lets no more through than was declared, so only a body of undeclared length has to be counted.
    if (declared !== null) return Buffer.from(await request.arrayBuffer());
    return await readCounting(request.body);
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw new ServiceError('INVALID_ARGUMENT', 'The body ended before it was complete.', { cause: error });
  }
}

async function readCounting(body: Request['body']): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  const reader = body?.getReader();
  for (let size = 0; ; ) {
    const chunk = (await reader?.read())?.value;
    if (chunk === undefined) return Buffer.concat(chunks);
    size += chunk.byteLength;
    if (size > LARGEST_BODY) throw tooLarge();
    chunks.push(chunk);
  }
}

function tooLarge(): ServiceError {
  return new ServiceError('PAYLOAD_TOO_LARGE', `The body is larger than ${LARGEST_BODY} bytes (1 MiB).`, {
    headers: { connection: 'close' },
  });
}

function malformed(message: string): ServiceError {
  return new ServiceError('MALFORMED_JSON', message);
}
