import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { afterEach, vi } from 'vitest';
import { createSender, type Resolve } from '../../../src/engine/webhooks/send.ts';
import type { Reach } from '../../../src/engine/webhooks/target.ts';

/** What is done after the test. */
export const cleanups: (() => void)[] = [];

/** Has each test of a file leave nothing behind. */
export function cleanUp(): void {
  afterEach(() => {
    for (const cleanup of cleanups.splice(0)) cleanup();
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  });
}

/** Listens on a free port of this machine until the end of the test, and gives the port. */
export async function portOf(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  cleanups.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

/** Serves on a free port of this machine until the end of the test. */
export async function serve(listener: RequestListener): Promise<{ port: number }> {
  const server = createServer(listener);
  cleanups.push(() => server.closeAllConnections());
  return { port: await portOf(server) };
}

/** Makes a function that sends a request to a URL. */
export function senderWith(resolve?: Resolve, reach: Reach = 'loopback') {
  const sender = createSender(reach, resolve);
  cleanups.push(sender.end);
  return (url: string) => sender.send({ url, headers: { 'x-test': '1' }, body: '{"a":"ü"}' });
}
