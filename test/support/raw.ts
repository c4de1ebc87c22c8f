import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** The maximum time of a response, in milliseconds. */
export const MAX_LENGTH = 3_000;
/** How long to wait for a further response, in milliseconds. */
const QUIET = 200;

/** The responses to bytes on a connection of their own. */
export interface RawAnswer {
  readonly text: string;
  readonly isClosed: boolean;
  /** The time until the last byte. */
  readonly milliseconds: number;
}

/** Sends bytes, one for each character; reads until the connection is closed, or nothing more arrives. */
export async function sendRaw(base: string, bytes: string): Promise<RawAnswer> {
  const { hostname, port } = new URL(base);
  const socket = connect(Number(port), hostname).setNoDelay();
  // A rejected client may get an error while it sends; it still reads the response.
  socket.on('error', () => {});
  let text = '';
  let last = 0;
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
    last = performance.now();
  });
  const began = performance.now();
  socket.write(Buffer.from(bytes, 'latin1'));
  const isOver = () => (last === 0 ? performance.now() - began > MAX_LENGTH : performance.now() - last > QUIET);
  while (!socket.closed && !isOver()) await sleep(10);
  const isClosed = socket.closed;
  socket.destroy();
  return { text, isClosed, milliseconds: last - began };
}

export function statusesIn(text: string): number[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}
