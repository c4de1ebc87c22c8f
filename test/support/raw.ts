import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** How long an answer may take, in milliseconds. */
export const MAX_LENGTH = 3_000;
/** How long another one is waited for, in milliseconds. */
const QUIET = 200;

/** What was answered to bytes on a connection of their own. */
export interface RawAnswer {
  readonly text: string;
  readonly isClosed: boolean;
  /** How long the last of it took. */
  readonly milliseconds: number;
}

/** Sends bytes, each a character of the text; all that is answered until the connection is closed, or nothing more comes. */
export async function sendRaw(base: string, bytes: string): Promise<RawAnswer> {
  const { hostname, port } = new URL(base);
  const socket = connect(Number(port), hostname).setNoDelay();
  // Whoever is rejected may be cut off while he still sends: he is told by what he reads.
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
