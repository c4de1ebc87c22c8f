import { randomUUID } from 'node:crypto';
import type { RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** How long a rejected client may take to close the connection, in milliseconds. */
const MAX_CLOSE_TIME = 2_000;

/** A client's connection. Its requests are answered one at a time, so that one connection has only one in progress. */
export class Connection {
  readonly #socket: Socket;
  readonly #handler: RequestListener;
  #current: ServerResponse | undefined;
  readonly #waiting: ServerResponse[] = [];
  /** Whether the end of the current response starts the next one. */
  #isContinued = false;
  /** Rejects input that is not a request; all later input is ignored. */
  #rejection: (() => void) | undefined;

  constructor(socket: Socket, handler: RequestListener) {
    this.#socket = socket;
    this.#handler = handler;
  }

  get isNew(): boolean {
    return this.#current === undefined;
  }

  answer(response: ServerResponse): void {
    if (this.#rejection !== undefined) return;
    if (this.#waiting.length === 0 && this.#isFree()) this.#start(response);
    else {
      this.#waiting.push(response);
      this.#continueAfterwards();
      // What has already been read is a few hundred requests at most.
      this.#socket.pause();
    }
  }

  /**
   * Answers input that is not valid HTTP, which never reaches the service, with the Error object, HEAD without a body.
   * Earlier requests are answered first: otherwise the rejection would seem to be theirs.
   */
  reject(message: string, isHead = false): void {
    if (this.#rejection !== undefined) return;
    this.#rejection = () => writeRejection(this.#socket, message, isHead);
    // An incomplete request is the one that is rejected.
    if (this.#waiting.at(-1)?.req.complete === false) this.#waiting.pop();
    if (this.#isFree() || this.#current?.req.complete === false) this.#rejection();
    else this.#continueAfterwards();
  }

  #isFree(): boolean {
    return this.#current === undefined || this.#current.writableFinished;
  }

  #start(response: ServerResponse): void {
    this.#current = response;
    this.#handler(response.req, response);
  }

  /** Continues after the current response. It is only called when something waits: most responses need no listener. */
  #continueAfterwards(): void {
    if (this.#isContinued) return;
    this.#isContinued = true;
    this.#current?.once('close', () => {
      this.#isContinued = false;
      if (this.#socket.writable) this.#continue();
    });
  }

  #continue(): void {
    const next = this.#waiting.shift();
    if (next !== undefined) this.#start(next);
    else this.#rejection?.();
    if (next !== undefined && (this.#waiting.length > 0 || this.#rejection !== undefined)) this.#continueAfterwards();
    else this.#socket.resume();
  }
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
  // Node's HTTP server no longer handles errors and timeouts of this socket.
  socket.on('error', () => {});
  const timer = setTimeout(() => socket.destroy(), MAX_CLOSE_TIME);
  socket.once('close', () => clearTimeout(timer));
  socket.end(`${head.join('\r\n')}\r\n\r\n${isHead ? '' : body}`);
}
