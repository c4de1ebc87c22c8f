import { IncomingMessage } from 'node:http';

/** How many chunks a body may have beyond one for each 64 bytes: each takes time, even if it is one byte. */
export const MAX_CHUNKS = 1_000;
export const CHUNK_LENGTH = 64;

/**
 * Calls back once, and drops the rest, when the body of a message has too many chunks. Call it before the body arrives:
 * Node pushes each chunk as soon as it is parsed, even if nobody reads it.
 */
export function limitChunks(message: IncomingMessage, onTooMany: () => void): void {
  if (message.headers['transfer-encoding'] === undefined) return;
  let left = MAX_CHUNKS;
  message.push = (chunk: Buffer | null) => {
    left += chunk === null ? 0 : chunk.length / CHUNK_LENGTH - 1;
    if (left >= 0) return IncomingMessage.prototype.push.call(message, chunk);
    message.push = () => false;
    onTooMany();
    return false;
  };
}
