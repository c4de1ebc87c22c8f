import { randomUUID } from 'node:crypto';
import type { RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** How long a rejected client may take to close the connection, in milliseconds. */
const MAX_CLOSE_TIME = 2_000;

/** How many pipelined requests wait on all connections: each takes more than a kilobyte of memory. */
const MAX_WAITING = 20_000;

/** The connections of a listener on which requests wait. */
export class Pipelines {
  readonly #lengths = new Map<Connection, number>();
  #total = 0;

  /** Must be called when the number changes. If too many wait in all, the connection with the most is closed. */
  set(connection: Connection, length: number): void {
    this.#total += length - (this.#lengths.get(connection) ?? 0);
    if (length === 0) this.#lengths.delete(connection);
    else this.#lengths.set(connection, length);
    if (this.#total <= MAX_WAITING) return;
    let [longest, most] = [connection, length];
    for (const [other, ofOther] of this.#lengths) if (ofOther > most) [longest, most] = [other, ofOther];
    longest.close();
  }
}

/** A client's connection. Its requests are answered one at a time, so that one connection has only one in progress. */
export class Connection {
  readonly #socket: Socket;
  readonly #handler: RequestListener;
  readonly #pipelines: Pipelines;
  #current: ServerResponse | undefined;
  /** What follows the current response: the next responses, and the rejection last. */
  readonly #waiting: (ServerResponse | (() => void))[] = [];
  /** Whether all later input is ignored: what was rejected is not a request, or the connection is closed. */
  #isRejected = false;

  constructor(socket: Socket, handler: RequestListener, pipelines: Pipelines) {
    this.#socket = socket;
    this.#handler = handler;
    this.#pipelines = pipelines;
    // Node resumes it after each response.
    socket.on('resume', () => {
      if (this.#waiting.length > 0 || this.#isRejected) socket.pause();
    });
  }

  get isNew(): boolean {
    return this.#current === undefined;
  }

  answer(response: ServerResponse): void {
    // Otherwise Node would go on reading requests, and keep all of them until the connection is closed, two seconds later.
    if (this.#isRejected) this.#socket.pause();
    else if (this.#waiting.length === 0 && this.#isFree()) {
      this.#current = response;
      this.#handler(response.req, response);
    } else {
      this.#wait(response);
      // What has already been read is at most 64 KiB.
      this.#socket.pause();
    }
  }

  /**
   * Answers input that is not valid HTTP, which never reaches the service, with the Error object, HEAD without a body.
   * Earlier requests are answered first: otherwise the rejection would seem to be theirs.
   */
  reject(message: string, isHead = false): void {
    if (this.#isRejected) {
      this.#socket.pause();
      return;
    }
    this.#isRejected = true;
    const last = this.#waiting.at(-1);
    // An incomplete request is the one that is rejected.
    if (typeof last === 'object' && !last.req.complete) this.#waiting.pop();
    const rejection = () => writeRejection(this.#socket, message, isHead);
    if (this.#isFree() || this.#current?.req.complete === false) rejection();
    else this.#wait(rejection);
  }

  /** Closes it at once, even if responses are in progress. */
  close(): void {
    this.#socket.destroy();
    this.#drop();
  }

  #drop(): void {
    this.#isRejected = true;
    this.#waiting.length = 0;
    this.#pipelines.set(this, 0);
  }

  #isFree(): boolean {
    return this.#current === undefined || this.#current.writableFinished;
  }

  /** Only what waits listens for the end of a response: most need no listener. */
  #wait(next: ServerResponse | (() => void)): void {
    this.#waiting.push(next);
    if (this.#waiting.length === 1) this.#current?.once('close', this.#continue);
    this.#pipelines.set(this, this.#waiting.length);
  }

  readonly #continue = () => {
    if (!this.#socket.writable) return this.#drop();
    const next = this.#waiting.shift();
    this.#pipelines.set(this, this.#waiting.length);
    if (typeof next === 'function') next();
    else if (next !== undefined) {
      this.#current = next;
      // In the next turn of the event loop: otherwise thousands of short responses could be written in this one.
      setImmediate(this.#handler, next.req, next);
    }
    if (this.#waiting.length > 0) this.#current?.once('close', this.#continue);
    else this.#socket.resume();
  };
}

function writeRejection(socket: Socket, message: string, isHead: boolean): void {
  if (!socket.writable) return;
  const body = JSON.stringify({ code: 'INVALID_ARGUMENT', message, status: 400 });
  const head = [
    'HTTP/1.1 400 Bad Request',
    'content-type: application/json',
    'x-content-type-options: nosniff',
    `date: ${new Date().toUTCString()}`,
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${randomUUID()}`,
    'connection: close',
  ];
  closeSoon(socket);
  socket.end(`${head.join('\r\n')}\r\n\r\n${isHead ? '' : body}`);
}

/** Closes a socket for which Node's HTTP server no longer handles errors, timeouts and the end of a drain. */
export function closeSoon(socket: Socket): void {
  socket.on('error', () => {});
  const timer = setTimeout(() => socket.destroy(), MAX_CLOSE_TIME);
  socket.once('close', () => clearTimeout(timer));
}
