import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { ServiceError } from '../errors.ts';
import { HeldBytes } from './held-bytes.ts';
import type { RawRequest } from './incoming.ts';
import { fieldOf, type SentReply } from './reply.ts';
import { type StreamBody, sinkTo } from './stream.ts';

/** Answers a request; never rejects. */
export type Respond = (request: RawRequest) => Promise<SentReply>;

const ABSOLUTE = /^https?:\/\/([^/?]*)/i;

/** How long a rejected client may continue to send, in milliseconds. */
const MAX_WAIT = 5_000;

/** How many bytes of bodies are held until they are answered, and of responses until the clients have read them. */
const MAX_BODY_MEMORY = 67_108_864;
const MAX_BODY_MEMORY_OF_CALLER = 8_388_608;
const MAX_UNREAD = 134_217_728;
const MAX_UNREAD_OF_CALLER = 33_554_432;
/** A body up to this size, in bytes, is not counted: `MAX_REQUESTS` of them are not much. */
const SMALL_BODY = 16_384;
/** A longer text is sent as bytes: while a string waits to be sent, it may take three times the memory. */
const MAX_TEXT_LENGTH = 65_536;

/** Listens to Node's HTTP server. A response that can't be written has, for example, a line break in a header field. */
export function nodeListener(respond: Respond, onFailure: (error: unknown) => void): RequestListener {
  const bodies = new HeldBytes({ inAll: MAX_BODY_MEMORY, ofCaller: MAX_BODY_MEMORY_OF_CALLER });
  const answers = new HeldBytes({ inAll: MAX_UNREAD, ofCaller: MAX_UNREAD_OF_CALLER });
  return (message, response) => {
    // Nobody reads the body, which would stay in memory while the request waits, as for events.
    if (isReadWithBody(message)) message.resume();
    respond(fromNode(message, response, bodies))
      .then((reply) => {
        send(reply, response);
        // Counts what the client has not read yet, until it has. Beyond the limits, connections are closed.
        const unread = response.socket?.writableLength ?? 0;
        if (unread > 0 && !response.destroyed) answers.add(response, reply.caller, unread);
      })
      .catch((error: unknown) => {
        onFailure(error);
        response.destroy();
      });
  };
}

function isReadWithBody({ method, headers }: IncomingMessage): boolean {
  return (
    (method === 'GET' || method === 'HEAD') && (headers['transfer-encoding'] ?? headers['content-length']) !== undefined
  );
}

function fromNode(message: IncomingMessage, response: ServerResponse, bodies: HeldBytes): RawRequest {
  const { method = 'GET', url = '/', headers } = message;
  // A target in absolute form, as sent to proxies, overrides the Host field (RFC 9112, section 3.2.2).
  const [start, authority] = (url.startsWith('/') ? null : ABSOLUTE.exec(url)) ?? [''];
  return {
    method,
    target: url.slice(start.length) || '/',
    host: authority ?? headers.host ?? addressOf(message),
    headers: { get: (name) => (headers[name] as string | undefined) ?? null },
    readBody: (limit, caller) => readBody(response, limit, caller, bodies),
    isAborted: () => response.destroyed,
    remote: () => message.socket.remoteAddress ?? '',
  };
}

/** The address that the client has connected to: HTTP/1.0 needs no Host field. */
function addressOf({ socket: { localAddress = '', localPort } }: IncomingMessage): string {
  return `${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${localPort}`;
}

function readBody(
  response: ServerResponse,
  limit: number,
  caller: string,
  bodies: HeldBytes,
): Promise<Buffer | undefined> {
  const { req: message } = response;
  return new Promise((resolve, reject) => {
    // The client may have disconnected during authentication: then there are no more events.
    if (message.destroyed) reject(new Error('The connection was closed.'));
    let bytes: Buffer = Buffer.alloc(0);
    let size = 0;
    const take = (chunk: Buffer) => {
      size += chunk.length;
      const counted = countedBytes(size, chunk.length);
      if (size > limit) skipRest(() => resolve(undefined));
      else if (!bodies.fits(caller, counted)) skipRest(() => reject(tooMuchHeld()));
      else {
        if (counted > 0) bodies.add(response, caller, counted);
        bytes = appended(bytes, size, chunk, limit);
      }
    };
    const skipRest = (settle: () => void) => {
      message.off('data', take).resume();
      bytes = Buffer.alloc(0);
      settle();
    };
    message.on('data', take);
    message.once('end', () => resolve(bytes.subarray(0, size)));
    message.once('error', reject);
    message.once('close', () => {
      if (!message.readableEnded) reject(new Error('The connection was closed.'));
    });
  });
}

/** How many bytes more count when a body has grown to a size by this many. */
function countedBytes(size: number, added: number): number {
  if (size <= SMALL_BODY) return 0;
  return size - added > SMALL_BODY ? added : size;
}

/** Appends a chunk; `size` includes it. Kept as it is, a chunk of one byte would take 200 bytes of memory. */
function appended(bytes: Buffer, size: number, chunk: Buffer, limit: number): Buffer {
  const start = size - chunk.length;
  if (start === 0) return chunk;
  const enough = size <= bytes.length ? bytes : Buffer.concat([bytes.subarray(0, start)], Math.min(2 * size, limit));
  enough.set(chunk, start);
  return enough;
}

function tooMuchHeld(): ServiceError {
  const message = 'Too many large bodies are in progress; try again after some of them are answered.';
  return new ServiceError('UNAVAILABLE', message, { headers: { connection: 'close' } });
}

function send(reply: SentReply, response: ServerResponse): void {
  if (response.destroyed) return;
  const { status, headers, body, encoding } = reply;
  // Node would discard the rest of a body that nobody reads, without counting its chunks.
  if (!response.req.complete) response.req.resume();
  response.writeHead(status, headers as string[]);
  if (typeof body === 'function') sendStream(body, response);
  else if (!response.req.complete && fieldOf(headers, 'connection') === 'close')
    sendWhileReceiving(body, encoding, response);
  else if (typeof body === 'string' && body.length > MAX_TEXT_LENGTH) response.end(Buffer.from(body, encoding));
  else response.end(body, encoding);
}

/** The connection is closed with the stream: a client may have sent nothing else on it meanwhile. */
function sendStream(body: StreamBody, response: ServerResponse): void {
  if (response.req.method === 'HEAD') response.end();
  else {
    response.flushHeaders();
    body(sinkTo(response));
  }
}

/** Reads on for a while: if the connection is closed while the client still sends, the response is lost. */
function sendWhileReceiving(
  body: string | Uint8Array | null,
  encoding: SentReply['encoding'],
  response: ServerResponse,
): void {
  const { req: message } = response;
  const end = () => response.end();
  const timer = setTimeout(end, MAX_WAIT);
  message.once('close', () => clearTimeout(timer)).once('end', end);
  response.write(body ?? '', encoding);
}
