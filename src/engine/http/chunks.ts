import { IncomingMessage } from 'node:http';

/** How many chunks a body may have beyond one for each 64 bytes: each takes time, even if it is one byte. */
export const MAX_CHUNKS = 1_000;
export const CHUNK_LENGTH = 64;
/** After how many chunks of a body other connections have their turn. */
const MAX_TOGETHER = 100;
/** The bytes that a body may have, so that an endless one does not have ever more chunks. */
const MAX_LENGTH = 1_048_576;

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
    if (chunk !== null) left += (length <= MAX_LENGTH ? chunk.length / CHUNK_LENGTH : 0) - 1;
    if (left >= 0) {
      pauseOften();
      return IncomingMessage.prototype.push.call(message, chunk);
    }
    message.push = () => false;
    onTooMany();
    return false;
  };

  /** Lets other connections have their turn: Node reads on as long as more arrives, for megabytes. */
  function pauseOften(): void {
    if (++together < MAX_TOGETHER) return;
    together = 0;
    message.socket.pause();
    setImmediate(() => {
      // Otherwise Node reads the socket again when the body is read.
      if (message.complete || message.readableLength < message.readableHighWaterMark) message.socket.resume();
    });
  }
}
