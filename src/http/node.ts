import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { RawRequest } from './incoming.ts';
import { fieldOf, type SentReply } from './reply.ts';

/** Makes the answer to a request; never rejects. */
export type Respond = (request: RawRequest) => Promise<SentReply>;

const ABSOLUTE = /^https?:\/\/([^/?]*)/i;

/** How long a client that is refused may go on sending, in milliseconds. */
const LONGEST_WAIT = 5_000;

/** Answers what comes over sockets, for Node's HTTP server: without a `Request` and a `Response` in between. */
export function nodeListener(respond: Respond): RequestListener {
  return (message, response) => {
    void respond(fromNode(message, response)).then((reply) => send(reply, response));
  };
}

function fromNode(message: IncomingMessage, response: ServerResponse): RawRequest {
  const { method = 'GET', url = '/', headers } = message;
  // In absolute form, which proxies are sent, the target tells the host, whatever the field says (RFC 9112, section 3.2.2).
  const [start, authority] = (url.startsWith('/') ? null : ABSOLUTE.exec(url)) ?? [''];
  return {
    method,
    target: url.slice(start.length) || '/',
    host: authority ?? headers.host ?? addressOf(message),
    headers: { get: (name) => (headers[name] as string | undefined) ?? null },
    readBody: (limit) => readBody(message, limit),
    isCutOff: () => response.destroyed,
    remote: () => message.socket.remoteAddress ?? '',
  };
}

/** Where it came in: HTTP/1.0 needs no Host field. */
function addressOf({ socket: { localAddress = '', localPort } }: IncomingMessage): string {
  return `${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${localPort}`;
}

function readBody(message: IncomingMessage, limit: number): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    // Its client may have gone while we asked who it is: then nothing more is heard of it.
    if (message.destroyed) reject(new Error('The connection was closed.'));
    const chunks: Buffer[] = [];
    let size = 0;
    message.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limit) chunks.push(chunk);
      else resolve(undefined);
    });
    message.once('end', () => resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)));
    message.once('error', reject);
    message.once('close', () => {
      if (!message.readableEnded) reject(new Error('The connection was closed.'));
    });
  });
}

function send(reply: SentReply, response: ServerResponse): void {
  if (response.destroyed) return;
  const { status, headers, body, encoding } = reply;
  response.writeHead(status, headers as string[]);
  if (!response.req.complete && fieldOf(headers, 'connection') === 'close') sendToSender(reply, response);
  else if (body === null) response.end();
  else response.end(body, encoding);
}

/** A connection that is closed on a client that still sends takes the answer with it: so what comes is read for a while. */
function sendToSender({ body, encoding }: SentReply, response: ServerResponse): void {
  const { req: message } = response;
  const end = () => response.end();
  const late = setTimeout(end, LONGEST_WAIT);
  message.once('close', () => clearTimeout(late)).once('end', end);
  response.write(body ?? '', encoding);
  message.resume();
}
