import { pino } from 'pino';
import { expect, test } from 'vitest';
import type { Database } from '../../src/engine/db/client.ts';
import { petStoreService } from '../../src/petstore/service.ts';
import { createMetrics } from '../../src/process/metrics.ts';
import { serve } from '../../src/process/serve.ts';
import { readSettings } from '../../src/process/settings.ts';
import { makeTemporaryFolder } from '../support/temporary.ts';

test('a process stops within 10 s, whatever the embedded database waits for', async () => {
  const folder = makeTemporaryFolder();
  let database: Database | undefined;
  const examples = {
    areMissing: async () => true,
    load: async (opened: Database) => {
      database = opened;
    },
  };
  const settings = readSettings({ DATA_DIR: folder.path, PORT: '0' });
  const served = { application: petStoreService, examples };
  const serving = await serve(served, settings, pino({ level: 'silent' }), {
    isPrepared: false,
    tracing: undefined,
    metrics: createMetrics(),
  });
  void database?.transaction(() => new Promise(() => {}));
  const started = performance.now();
  await serving.stop({ isReplaced: false });
  expect(performance.now() - started).toBeLessThan(10_000);
  folder.remove();
});
