import dns from 'node:dns';
import { expect, onTestFinished, test, vi } from 'vitest';
import { CONNECTIONS } from '../../../src/engine/db/pool-kinds.ts';
import { connectServer } from '../../../src/engine/db/server.ts';

test('an unreachable database whose name has several addresses, as localhost often has, is reported by the first', async () => {
  const addresses = ['127.0.0.1', '127.0.0.2'].map((address) => ({ address, family: 4 }));
  const lookup = vi
    .spyOn(dns, 'lookup')
    .mockImplementation(((_name: string, _options: object, done: Found) => done(null, addresses)) as typeof dns.lookup);
  onTestFinished(() => lookup.mockRestore());
  await expect(connectServer('postgres://localhost:9/pets', 5_000, CONNECTIONS)).rejects.toThrow(
    'The database at localhost:9/pets cannot be used: connect ECONNREFUSED 127.0.0.1:9.',
  );
});

type Found = (error: null, addresses: readonly dns.LookupAddress[]) => void;
