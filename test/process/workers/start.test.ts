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

/** Forks no process, but workers that listen after these times, in milliseconds, and further ones at once. */
function forkWorkers(...times: readonly number[]) {
  onTestFinished(() => {
    vi.restoreAllMocks();
    cluster.removeAllListeners();
  });
  let forked = 0;
  return vi.spyOn(cluster, 'fork').mockImplementation(() => {
    const started = Object.assign(new EventEmitter(), { process: { pid: 1 }, isConnected: () => false });
    setTimeout(() => started.emit('message', { start: { port: 4000 } }), times[forked++] ?? 0);
    return started as unknown as Worker;
  });
}

test('a process that ends while others still start is replaced by one', async () => {
  // Longer than the pause before a process is replaced.
  const fork = forkWorkers(0, 700, 700);
  const starting = startWorkers(3, logger);
  await sleep(50);
  fork.mock.results[0]?.value.emit('exit', null, 'SIGKILL');
  await starting;
  await expect.poll(() => fork.mock.calls.length).toBe(4);
  await sleep(600);
  expect(fork).toHaveBeenCalledTimes(4);
});

test('a process that ends just before a stop is not replaced during it', async () => {
  const fork = forkWorkers();
  const { stop } = await startWorkers(2, logger);
  fork.mock.results[0]?.value.emit('exit', null, 'SIGKILL');
  await stop();
  // Longer than the pause before a process is replaced.
  await sleep(600);
  expect(fork).toHaveBeenCalledTimes(2);
});

test('starts that fail become rarer: they are much work', async () => {
  const fork = forkWorkers();
  const { stop } = await startWorkers(2, logger);
  const [first] = fork.mock.results;
  const times: number[] = [];
  fork.mockImplementation(() => {
    times.push(performance.now());
    const failing = Object.assign(new EventEmitter(), { isConnected: () => false });
    setImmediate(() => failing.emit('exit', 1, null));
    return failing as unknown as Worker;
  });
  first?.value.emit('exit', null, 'SIGKILL');
  await expect.poll(() => times.length).toBe(2);
  await stop();
  const [one = 0, next = 0] = times;
  // Twice the first pause; a timer may be a little early.
  expect(next - one).toBeGreaterThan(990);
});
