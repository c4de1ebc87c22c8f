import { randomUUID } from 'node:crypto';
import type { RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** How long who is rejected may take to close the connection, in milliseconds. */
const MAX_FAREWELL = 2_000;

/** Why what has come is no request, and whether its answer has no body: a HEAD's has none (RFC 9110, section 9.3.2). */
interface Rejection {
  readonly message: string;
  readonly isHead: boolean;
}

/** A client's connection. What comes on it is answered one after another, so that nobody takes many places with one. */
export class Connection {
  readonly #socket: Socket;
  readonly #handler: RequestListener;
  /** The answer that was begun last. */
  #answering: ServerResponse | undefined;
  readonly #waiting: ServerResponse[] = [];
  /** Whether something goes on once that answer is over. */
  #isWatched = false;
  /** Why nothing that comes from then on is a request. */
  #rejection: Rejection | undefined;

  /** @param handler answers a request */
  constructor(socket: Socket, handler: RequestListener) {
    this.#socket = socket;
    this.#handler = handler;
  }

  /** Whether no request has been read on it yet. */
  get isNew(): boolean {
    return this.#answering === undefined;
  }

  /** Answers a request, now or after those before it. */
  answer(response: ServerResponse): void {
    if (this.#rejection !== undefined) return;
    if (this.#waiting.length === 0 && this.#isFree()) this.#begin(response);
    else {
      this.#waiting.push(response);
      this.#goOnAfterwards();
      // What has been read already is some hundred requests at most.
      this.#socket.pause();
    }
  }

  /**
   * What is not proper HTTP never reaches the service; it is answered here, with the Error object like any other failure,
   * and after the requests that came before it: otherwise they would seem to be rejected.
   */
  reject(message: string, isHead = false): void {
    if (this.#rejection !== undefined) return;
    this.#rejection = { message, isHead };
    // Whatever has not come in whole is what is rejected.
    if (this.#waiting.at(-1)?.req.complete === false) this.#waiting.pop();
    if (this.#isFree() || this.#answering?.req.complete === false) writeRejection(this.#socket, this.#rejection);
    else this.#goOnAfterwards();
  }

  #isFree(): boolean {
    return this.#answering === undefined || this.#answering.writableFinished;
  }

  #begin(response: ServerResponse): void {
    this.#answering = response;
    this.#handler(response.req, response);
  }

  /** Goes on with what waits behind the answer. Most answers have nothing behind them, and are not watched. */
  #goOnAfterwards(): void {
    if (this.#isWatched) return;
    this.#isWatched = true;
    this.#answering?.once('close', () => {
      this.#isWatched = false;
      if (this.#socket.writable) this.#goOn();
    });
  }

  #goOn(): void {
    const next = this.#waiting.shift();
    if (next !== undefined) this.#begin(next);
    else if (this.#rejection !== undefined) writeRejection(this.#socket, this.#rejection);
    if (next !== undefined && (this.#waiting.length > 0 || this.#rejection !== undefined)) this.#goOnAfterwards();
    else this.#socket.resume();
  }
}

function writeRejection(socket: Socket, { message, isHead }: Rejection): void {
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
  // What has been taken from HTTP's hands has nobody else to hear of its end, or to bring it about.
  socket.on('error', () => {});
  const late = setTimeout(() => socket.destroy(), MAX_FAREWELL);
  socket.once('close', () => clearTimeout(late));
  socket.end(`${head.join('\r\n')}\r\n\r\n${isHead ? '' : body}`);
}
