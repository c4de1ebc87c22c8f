import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export interface Listener {
  readonly port: number;
  /** Takes no more connections, lets requests in flight finish, and closes what is left after the grace. */
  drain(graceMilliseconds: number): Promise<void>;
}

/**
 * Serves HTTP/1.1. Headers must arrive within 10 s and a request within 30 s; idle connections outlast those of the
 * usual load balancers.
 *
 * @throws {Error} with one clear line when the address cannot be had
 */
export function listen(handler: RequestListener, { host, port }: { host: string; port: number }): Promise<Listener> {
  const server = createServer({ headersTimeout: 10_000, requestTimeout: 30_000, keepAliveTimeout: 65_000 }, handler);
  server.on('clientError', refuseUnreadable);
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(new Error(explain(error, host, port))));
    server.listen(port, host, () => {
      resolve({
        port: (server.address() as AddressInfo).port,
        drain: (grace) =>
          new Promise((done) => {
            const forced = setTimeout(() => server.closeAllConnections(), grace);
            server.close(() => {
              clearTimeout(forced);
              done();
            });
            server.closeIdleConnections();
          }),
      });
    });
  });
}

/** What is not HTTP never reaches the service; it is answered here, with the Error object like any other failure. */
function refuseUnreadable(_error: Error, socket: Socket): void {
  if (!socket.writable) return;
  const message = 'The request cannot be read as HTTP/1.1, or its header fields are too large.';
  const body = JSON.stringify({ code: 'INVALID_ARGUMENT', message, status: 400 });
  socket.end(
    `HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}

function explain(error: NodeJS.ErrnoException, host: string, port: number): string {
  if (error.code === 'EADDRINUSE')
    return `Port ${port} on ${host} is taken; stop what uses it, or set PORT to another.`;
  if (error.code === 'EACCES') return `Port ${port} on ${host} needs more rights; set PORT to one above 1023.`;
  return `Cannot listen on ${host}:${port}: ${error.message}.`;
}
