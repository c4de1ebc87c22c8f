import { once } from 'node:events';
import { expect, test } from 'vitest';
import { connectOnce } from '../../../src/engine/db/connect-once.ts';

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
