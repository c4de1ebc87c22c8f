import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Database } from '../../../src/engine/db/client.ts';
import { withMigrationLock } from '../../../src/engine/db/migrate.ts';
import { LockTimeout } from '../../../src/engine/db/violations.ts';

test('a migration that other transactions hold up again and again is given up, and says why', async () => {
  const pause = vi.spyOn(timers, 'setTimeout').mockResolvedValue(undefined);
  syncBuiltinESMExports();
  onTestFinished(() => {
    pause.mockRestore();
    syncBuiltinESMExports();
  });
  let locked = 10;
  const transaction = async () => {
    if (locked-- > 0) throw new LockTimeout();
  };
  const onWait = vi.fn();
  const migrating = withMigrationLock({ transaction } as unknown as Database, onWait, async () => {});
  await expect(migrating).rejects.toThrow('other transactions, such as a backup, hold locks on its tables.');
  expect([onWait, pause].map(({ mock }) => mock.calls.length)).toEqual([4, 4]);
});
