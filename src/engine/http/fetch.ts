import { PassThrough, Readable } from 'node:stream';
import type { ReadableStream as NodeStream } from 'node:stream/web';
import type { RawRequest } from './incoming.ts';
import type { Respond } from './node.ts';
import type { HttpReply } from './reply.ts';
import { type StreamBody, sinkTo } from './stream.ts';

/** Answers a `Request` of the Fetch standard, without a socket: for tests, and for servers with that interface. */
export function fetchHandler(respond: Respond): (request: Request) => Promise<Response> {
  return async (request) => toResponse(await respond(fromFetch(request)), request.method);
}

function fromFetch(request: Request): RawRequest {
  const { method, url, headers, signal } = request;
  const [, host = '', target = ''] = /^\w+:\/\/([^/?#]*)([^#]*)/.exec(url) ?? [];
  return {
    method,
    target,
    host: headers.get('host') ?? host,
    headers,
    readBody: (limit) => readBody(request, limit),
    isAborted: () => signal.aborted,
    remote: () => '',
  };
}

async function readBody({ body }: Request, limit: number): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (body as NodeStream<Uint8Array> | null) ?? []) {
    size += chunk.byteLength;
    if (size > limit) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** HEAD has the response of GET without its body (RFC 9110, section 9.3.2). */
function toResponse({ status, headers: fields, body }: HttpReply, method: string): Response {
  const headers = new Headers();
  for (let index = 0; index < fields.length; index += 2) {
    headers.append(fields[index] as string, fields[index + 1] as string);
  }
  const content = method === 'HEAD' ? null : typeof body === 'function' ? readableOf(body) : body;
  return new Response(content, { status, headers });
}

function readableOf(body: StreamBody): ReadableStream<Uint8Array> {
  const through = new PassThrough({
    // Node would pass what is left to the reader that has canceled, which throws.
    destroy(error, done) {
      this.removeAllListeners('data');
      done(error);
    },
  });
  body(sinkTo(through));
  return Readable.toWeb(through) as ReadableStream<Uint8Array>;
}
