import cluster from 'node:cluster';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { startWorkers } from '../../../src/process/workers/start.ts';

test('a process that the system cannot start is an error, and no crash', async () => {
  cluster.setupPrimary({ cwd: '/does/not/exist' });
  onTestFinished(() => cluster.setupPrimary({ cwd: undefined }));
  await expect(startWorkers(2, pino({ enabled: false }))).rejects.toThrow(/spawn .* ENOENT/);
});
