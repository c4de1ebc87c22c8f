import cluster, { type Worker } from 'node:cluster';
import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startWorkers } from '../../../src/process/workers/start.ts';

const logger = pino({ enabled: false });

test('a process that the system cannot start is an error, and no crash', async () => {
  cluster.setupPrimary({ cwd: '/does/not/exist' });
  onTestFinished(() => cluster.setupPrimary({ cwd: undefined }));
  await expect(startWorkers(2, logger)).rejects.toThrow(/spawn .* ENOENT/);
});

test('a process that ends just before a stop is not replaced during it', async () => {
  onTestFinished(() => {
    vi.restoreAllMocks();
    cluster.removeAllListeners();
  });
  const fork = vi.spyOn(cluster, 'fork').mockImplementation(() => {
    const started = Object.assign(new EventEmitter(), { process: { pid: 1 }, isConnected: () => false });
    setImmediate(() => started.emit('message', { start: { port: 4000 } }));
    return started as unknown as Worker;
  });
  const { stop } = await startWorkers(2, logger);
  fork.mock.results[0]?.value.emit('exit', null, 'SIGKILL');
  await stop();
  // Longer than the pause before a process is replaced.
  await sleep(600);
  expect(fork).toHaveBeenCalledTimes(2);
});
