import { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { MAX_BODY_BYTES } from './body.ts';

/** How many chunks a body may have beyond one for each 64 bytes: each takes time, even if it is one byte. */
export const MAX_CHUNKS = 1_000;
export const CHUNK_LENGTH = 64;
/** After how many chunks of a body its connection waits. */
const MAX_TOGETHER = 100;

/** Sockets that are not read for a while, and those that are watched for it. */
const held = new WeakSet<Socket>();
const watched = new WeakSet<Socket>();

/**
 * Calls back once, and drops the rest, when the body of a message has too many chunks. Call it before the body arrives:
 * Node pushes each chunk as soon as it is parsed, even if nobody reads it.
 */
export function limitChunks(message: IncomingMessage, onTooMany: () => void): void {
  if (message.headers['transfer-encoding'] === undefined) return;
  let left = MAX_CHUNKS;
  let length = 0;
  let together = 0;
  message.push = (chunk: Buffer | null) => {
    length += chunk?.length ?? 0;
    // A body that is longer than any may be would have ever more of them.
    if (chunk !== null) left += (length <= MAX_BODY_BYTES ? chunk.length / CHUNK_LENGTH : 0) - 1;
    if (left < 0) {
      message.push = () => false;
      onTooMany();
      return false;
    }
    if (++together % MAX_TOGETHER === 0) hold(message);
    return IncomingMessage.prototype.push.call(message, chunk);
  };
}

/**
 * Reads nothing more in this turn of the event loop, nor for as long as it takes, so that other connections get at least
 * half of the time: Node would read megabytes of a body at once.
 */
function hold(message: IncomingMessage): void {
  const { socket } = message;
  if (!watched.has(socket)) {
    watched.add(socket);
    // Node resumes it whenever the body is read.
    socket.on('resume', () => {
      if (held.has(socket)) socket.pause();
    });
  }
  if (held.has(socket)) return;
  held.add(socket);
  socket.pause();
  const started = performance.now();
  const release = () => {
    held.delete(socket);
    // Otherwise Node resumes it when the body is read.
    if (message.complete || message.readableLength < message.readableHighWaterMark) socket.resume();
  };
  setImmediate(() => setTimeout(release, performance.now() - started));
}
