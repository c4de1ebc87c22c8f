import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import { Backlog } from './backlog.ts';
import { CHUNK_LENGTH, limitChunks, MAX_CHUNKS } from './chunks.ts';
import { Connection, closeSoon, Pipelines } from './connection.ts';

const OPTIONS = {
  // A missing Host field is rejected here instead, with the Error object.
  requireHostHeader: false,
  // Otherwise Node drops all fields but the first of those that may come once, such as Authorization: a proxy may have
  // checked another.
  joinDuplicateHeaders: true,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  // Longer than the idle connections of the usual load balancers.
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 2_000,
};

/** How long a request may take to arrive, in milliseconds, with the interval at which Node checks for late ones. */
export const MAX_ARRIVAL = OPTIONS.requestTimeout + OPTIONS.connectionsCheckingInterval;

/** The maximum number of header fields: thousands of short ones would take longer to read than the request to answer. */
const MAX_FIELDS = 100;

/** How long idle connections may still send a last request after a drain has started, in milliseconds. */
const LAST_REQUESTS = 500;

interface ListenOptions {
  readonly host: string;
  readonly port: number;
  /** How long a request or response may have no traffic, in milliseconds: what isn't read stays in memory. */
  readonly stall: number;
  /** Called when the system lacks memory to accept a connection; those that are open go on. */
  readonly onFailure?: (error: unknown) => void;
}

export interface Listener {
  readonly port: number;
  /**
   * Accepts no more connections, and closes those that remain after the grace period, the shorter one if called again.
   * Responses must have `Connection: close` from then on.
   */
  drain(graceMilliseconds: number): Promise<void>;
}

/** Serves HTTP/1.1. Rejects with a message of one line when it can't listen on the address. */
export function listen(
  handler: RequestListener,
  { host, port, stall, onFailure = () => {} }: ListenOptions,
): Promise<Listener> {
  const connections = new WeakMap<Socket, Connection>();
  const pipelines = new Pipelines();
  const backlog = new Backlog();
  const open = new Set<Socket>();
  const { stackTraceLimit } = Error;
  const handleLater: RequestListener = (request, response) =>
    backlog.runAfterAccepting(() => {
      if (!response.destroyed) handler(request, response);
    });
  const server = createServer(OPTIONS, (request, response) => {
    const connection = connectionOf(request.socket);
    limitChunks(request, () => {
      request.socket.pause();
      if (response.headersSent) return connection.close();
      // Closed as soon as the rejection is sent: until the client closes it, Node would read the rest of the body.
      request.socket.once('finish', () => request.socket.destroy());
      connection.reject(TOO_MANY_CHUNKS, request.method === 'HEAD');
    });
    const problem = problemOf(request);
    if (problem === undefined) connection.answer(response);
    else connection.reject(problem, request.method === 'HEAD');
  });
  server.on('connection', (socket: Socket) => {
    backlog.onConnection();
    open.add(socket);
    // Between these two, Node makes an error for each request that is not answered yet, of thousands that are pipelined;
    // their stacks would take seconds.
    socket.prependOnceListener('close', () => {
      Error.stackTraceLimit = 0;
    });
    socket.once('close', () => {
      Error.stackTraceLimit = stackTraceLimit;
      open.delete(socket);
    });
  });
  server.setTimeout(stall);
  // One more than may come: of more, Node drops the others silently, or from Node 22 on rejects the request.
  server.maxHeadersCount = MAX_FIELDS + 1;
  server.on('clientError', ({ code, rawPacket }: NodeJS.ErrnoException & { rawPacket?: Buffer }, socket: Socket) => {
    // Browsers connect in advance. One that sends its first request just now would mistake a rejection for the response
    // to it; if the connection only closes, it sends the request again on another.
    if (code === 'ERR_HTTP_REQUEST_TIMEOUT' && socket.bytesRead === 0) {
      socket.destroy();
      return;
    }
    const connection = connectionOf(socket);
    // The packet starts with the request's method only if it is the first on the connection.
    const isHead = connection.isNew && rawPacket?.toString('latin1', 0, 5) === 'HEAD ';
    connection.reject(UNREADABLE[code ?? ''] ?? 'The request cannot be read as HTTP/1.1.', isHead);
  });
  server.on('checkExpectation', ({ socket }: IncomingMessage) =>
    connectionOf(socket).reject('The Expect field must be 100-continue.'),
  );
  server.on('connect', ({ socket }: IncomingMessage) => {
    // Before the rejection, which may have to wait for earlier responses.
    closeSoon(socket);
    connectionOf(socket).reject('This is not a proxy: it does not support CONNECT.');
  });
  return new Promise((resolve, reject) => {
    const onStart = (error: NodeJS.ErrnoException) => reject(new Error(explain(error, host, port)));
    server.once('error', onStart);
    server.listen(port, host, () => {
      server.off('error', onStart).on('error', onFailure);
      resolve({ port: (server.address() as AddressInfo).port, drain });
    });
  });

  function connectionOf(socket: Socket): Connection {
    const known = connections.get(socket);
    if (known !== undefined) return known;
    const connection = new Connection(socket, handleLater, pipelines);
    connections.set(socket, connection);
    return connection;
  }

  async function drain(grace: number): Promise<void> {
    const lastRequests = Math.min(LAST_REQUESTS, grace);
    const closeIdle = () => {
      server.closeIdleConnections();
      // Node counts those as busy that have never sent anything.
      for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
    };
    // After Node has read what arrived while the process was busy.
    const idle = setTimeout(() => setImmediate(closeIdle), lastRequests);
    const forced = setTimeout(() => server.closeAllConnections(), grace);
    await new Promise((resolve) => {
      // The HTTP server's own `close` would cut idle connections at once, even those with a request on its way.
      backlog.end(lastRequests, () => NetServer.prototype.close.call(server, resolve));
    });
    clearTimeout(idle);
    clearTimeout(forced);
  }
}

/** What Node's parser accepts, but is too much, or two servers may read as different requests (RFC 9112, 3.2 and 6.1). */
function problemOf({ httpVersion, headers, rawHeaders }: IncomingMessage): string | undefined {
  if (rawHeaders.length > 2 * MAX_FIELDS) return `The request has more than ${MAX_FIELDS} header fields.`;
  const { host, 'transfer-encoding': coding } = headers;
  if (host === undefined && httpVersion === '1.1') return 'HTTP/1.1 needs a Host field.';
  // Node joins several by commas.
  if (host?.includes(',')) return 'There must be one Host field.';
  if (coding === undefined) return undefined;
  if (httpVersion !== '1.1') return 'Transfer-Encoding needs HTTP/1.1.';
  return coding.toLowerCase() === 'chunked' ? undefined : 'Transfer-Encoding must be chunked.';
}

const TOO_MANY_CHUNKS = `The body has more than ${MAX_CHUNKS} chunks beyond one for each ${CHUNK_LENGTH} bytes of the first MiB; send larger ones.`;

const UNREADABLE: Readonly<Record<string, string>> = {
  HPE_INVALID_METHOD: 'The request must begin with a method of HTTP/1.1 in capital letters, such as GET.',
  HPE_INVALID_URL: 'The URL must be percent-encoded UTF-8: write ë as %C3%AB, and a space as %20.',
  HPE_HEADER_OVERFLOW: `The header fields are larger than 16 KiB, or more than ${MAX_FIELDS}.`,
  ERR_HTTP_REQUEST_TIMEOUT:
    'The request did not arrive in time. Its header fields must arrive within 10 s, and all of it within 30 s.',
};

function explain(error: NodeJS.ErrnoException, host: string, port: number): string {
  if (error.code === 'EADDRINUSE')
    return `Port ${port} on ${host} is taken; stop what uses it, or set PORT to another.`;
  if (error.code === 'EACCES') return `Port ${port} on ${host} needs more rights; set PORT to one above 1023.`;
  return `Cannot listen on ${host}:${port}: ${error.message}.`;
}
