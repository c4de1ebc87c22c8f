import { createServerAdapter, Response } from '@whatwg-node/server';
import type { RawRequest } from './incoming.ts';
import type { Respond } from './node.ts';
import type { HttpReply } from './reply.ts';
import { isStream, type StreamBody } from './stream.ts';

/** Answers a `Request` of the Fetch standard, without a socket: for tests, and for servers with that interface. */
export function fetchHandler(respond: Respond): (request: Request) => Promise<Response> {
  const adapter = createServerAdapter(async (request) => toResponse(await respond(fromFetch(request)), request.method));
  return async (request) => adapter.fetch(request);
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
    isCutOff: () => signal.aborted,
    remote: () => '',
  };
}

async function readBody({ body }: Request, limit: number): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = [];
  const reader = body?.getReader();
  for (let size = 0; ; ) {
    const chunk = (await reader?.read())?.value;
    if (chunk === undefined) return Buffer.concat(chunks);
    size += chunk.byteLength;
    if (size > limit) return undefined;
    chunks.push(chunk);
  }
}

/** HEAD has the response of GET without its body (RFC 9110, section 9.3.2). */
function toResponse({ status, headers: fields, body }: HttpReply, method: string): Response {
  const headers = new Headers();
  for (let index = 0; index < fields.length; index += 2) {
    headers.append(fields[index] as string, fields[index + 1] as string);
  }
  return new Response(method === 'HEAD' ? null : isStream(body) ? readableOf(body) : body, { status, headers });
}

function readableOf(body: StreamBody): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let end = () => {};
  let resume = () => {};
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const callbacks: (() => void)[] = [];
        let hasEnded = false;
        end = () => {
          if (hasEnded) return;
          hasEnded = true;
          for (const callback of [...callbacks, resume]) callback();
        };
        body.start({
          write(text) {
            if (!hasEnded) controller.enqueue(encoder.encode(text));
          },
          unread: () => Math.max(0, -(controller.desiredSize ?? 0)),
          drained: () =>
            new Promise((resolve) => {
              resume = resolve;
              if (hasEnded || (controller.desiredSize ?? 0) > 0) resolve();
            }),
          end() {
            if (!hasEnded) controller.close();
            end();
          },
          onEnd: (callback) => void callbacks.push(callback),
        });
      },
      pull: () => resume(),
      cancel: () => end(),
    },
    { highWaterMark: 16_384, size: (chunk) => chunk?.byteLength ?? 0 },
  );
}
