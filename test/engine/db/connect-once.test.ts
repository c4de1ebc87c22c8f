import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import postgres from 'postgres';
import { expect, test } from 'vitest';
import { connectOnce } from '../../../src/engine/db/connect-once.ts';
import { makeTemporaryFolder } from '../../support/temporary.ts';

test('a connection that the system rejects at once, as without a route, fails when postgres.js listens', async () => {
  const connect = connectOnce('postgres://255.255.255.255');
  const failed = new Promise((resolve, reject) => {
    // Where Node emits what has failed before it resumes what awaits.
    setImmediate(() => {
      Promise.resolve(connect({ host: ['255.255.255.255'], port: [5432], path: false }))
        .then((socket) => once(socket, 'a failure', { signal: AbortSignal.timeout(2_000) }))
        .catch(({ code }: NodeJS.ErrnoException) => resolve(code))
        .catch(reject);
    });
  });
  await expect(failed).resolves.toMatch(/^E(NETUNREACH|ACCES)$/);
});

test('a server is found in the folder of its Unix socket, and by IPv6 at the usual port', async () => {
  const folder = makeTemporaryFolder();
  const path = join(folder.path, 'socket');
  const server = createServer((socket) => socket.end()).listen(path);
  await once(server, 'listening');
  const socket = await connectOnce('postgres://any')({ host: [folder.path], port: [5432], path });
  await once(socket.resume(), 'close');
  server.close();
  folder.remove();
  // As postgres.js divides the address at its colons.
  const other = await connectOnce('postgres://[::1]/any')({ host: ['['], port: [Number.NaN], path: false });
  expect(other).toMatchObject({ host: '::1', port: 5432 });
  other.on('error', () => {}).destroy();
});

test('the error for a server that accepts a connection and says nothing names its address', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const url = `postgres://127.0.0.1:${port}`;
  const sql = postgres(url, { connect_timeout: 0.1, socket: connectOnce(url) } as postgres.Options<never>);
  await expect(sql`select 1`).rejects.toThrow(`write CONNECT_TIMEOUT 127.0.0.1:${port}`);
  await sql.end({ timeout: 0 });
  server.close();
});
