import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { failureLog } from '../../engine/failure-log.ts';
import { KeyedQueue } from '../../engine/queue.ts';
import { addUpMetrics, lastMessage } from './metrics.ts';

/** The pause before a worker is replaced, in milliseconds. A failed start, which is much work, doubles it. */
const PAUSE = 500;
const MAX_PAUSE = 10_000;

/** How long a replacement waits for a worker's exit, in milliseconds. Until then, one that ends is not replaced. */
const EXIT_TIMEOUT = 12_000;

/** Starts processes that share one port, or throws an error of one line. Those that exit are replaced. */
export async function startWorkers(count: number, logger: Logger) {
  const serving = new Set<Worker>();
  const onFailure = failureLog(logger, 'a new worker could not be started; trying again');
  let isStopping = false;
  // One change after another, so that each knows the number of workers.
  const changes = new KeyedQueue();
  addUpMetrics();
  const startAll = () => Promise.allSettled(Array.from({ length: count }, start));
  const starts = await changes.run('workers', startAll);
  const failed = starts.find((one) => one.status === 'rejected');
  if (failed !== undefined) {
    await stop();
    throw failed.reason;
  }
  const [first] = starts as [PromiseFulfilledResult<number>];
  return { port: first.value, replace: () => changes.run('workers', replaceAll), stop };

  /** Replaces the workers one after another. Each stops only when its successor listens, so that no request is lost. */
  async function replaceAll(): Promise<void> {
    for (const worker of [...serving]) {
      if (isStopping) return;
      try {
        await start();
      } catch (error) {
        if (isStopping) return;
        throw error;
      }
      await retire(worker);
    }
    logger.info({ workers: count }, 'workers replaced');
  }

  async function fillUp(): Promise<void> {
    let pause = PAUSE;
    while (serving.size < count) {
      await sleep(pause);
      if (isStopping) return;
      const starts = await Promise.allSettled(Array.from({ length: count - serving.size }, start));
      pause = starts.some((one) => one.status === 'fulfilled') ? PAUSE : Math.min(2 * pause, MAX_PAUSE);
      for (const one of starts) if (one.status === 'rejected') onFailure(one.reason);
    }
  }

  /** Starts a worker; resolves with its port when it listens. */
  async function start(): Promise<number> {
    const worker = cluster.fork();
    const { port, failure = 'A worker ended while it started.' } = await new Promise<Start>((resolve) => {
      worker.on('message', ({ start }: { start?: Start }) => start && resolve(start));
      // The system may have no room for another process.
      worker.once('error', ({ message }) => resolve({ failure: message }));
      whenEnded(worker).then(
        () => resolve({}),
        () => {},
      );
    });
    if (port === undefined) throw new Error(failure);
    serving.add(worker);
    worker.once('exit', (exitCode: number, signal: string) => {
      if (!serving.delete(worker) || isStopping) return;
      const { pid } = worker.process;
      logger.error({ worker: pid, exitCode, signal }, 'a worker ended unexpectedly; starting another');
      void changes.run('workers', fillUp);
    });
    return port;
  }

  async function retire(worker: Worker): Promise<void> {
    if (!serving.delete(worker)) return;
    const ended = whenEnded(worker);
    worker.send({ isReplaced: true } satisfies Replaced, () => {});
    await Promise.race([ended, sleep(EXIT_TIMEOUT, undefined, { ref: false })]);
  }

  /** Stops all workers; resolves when the last has exited. */
  async function stop(): Promise<void> {
    isStopping = true;
    const all = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
    await Promise.all(all.map(end));
  }
}

/** A worker's message about its start: the port when it listens, or why it can't. */
type Start = { readonly port?: number; readonly failure?: string };
/** The message to a worker that another one has replaced. */
type Replaced = { readonly isReplaced: true };

/** Reports to the primary process how the start of this worker went; resolves when the message is sent. */
export async function reportStart(start: Start): Promise<void> {
  await new Promise((resolve) => process.send?.({ start }, undefined, undefined, resolve));
}

/** Calls back when another worker has replaced this one. */
export function onReplaced(stop: () => void): void {
  process.on('message', ({ isReplaced }: Partial<Replaced>) => isReplaced && stop());
}

/** Resolves when the worker has exited, and its last message has been received. */
async function whenEnded(worker: Worker): Promise<void> {
  await once(worker, 'exit');
  await lastMessage(worker);
}

async function end(worker: Worker): Promise<void> {
  if (worker.isDead()) return;
  const ended = whenEnded(worker);
  worker.process.kill('SIGTERM');
  await ended;
}
