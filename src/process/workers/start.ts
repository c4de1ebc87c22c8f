import cluster, { type Worker } from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { whenEnded } from './end.ts';
import { addUpMetrics } from './metrics.ts';
import type { Leave, Start } from './tell.ts';

/** How long a worker that ended by itself is missed before another takes its place, in milliseconds. */
const PAUSE = 500;

/** How long one that is replaced is waited for before the next is, in milliseconds: so long nobody who dies has a successor. */
const PATIENCE = 12_000;

/** Several processes that serve on one port. */
export interface Workers {
  readonly port: number;
  /** Replaces them one after another, each once its successor listens: no request is lost. */
  replace(): Promise<void>;
  /** Stops them all, and answers when the last has gone. */
  stop(): Promise<void>;
}

/**
 * Starts processes that serve on one port, and keeps up their number. The system's connections are handed out in turn.
 *
 * @throws {Error} with one clear line when they cannot serve
 */
export async function startWorkers(count: number, logger: Logger): Promise<Workers> {
  const serving = new Set<Worker>();
  let isStopping = false;
  let changes: Promise<void> = Promise.resolve();
  addUpMetrics();
  const starts = await Promise.allSettled(Array.from({ length: count }, start));
  const failed = starts.find((one) => one.status === 'rejected');
  if (failed !== undefined) {
    await stop();
    throw failed.reason;
  }
  const [first] = starts as [PromiseFulfilledResult<number>];
  return { port: first.value, replace: () => change(replaceAll), stop };

  /** One change after another: so their number is known at each. */
  function change(make: () => Promise<void>): Promise<void> {
    const made = changes.then(make);
    changes = made.catch(() => {});
    return made;
  }

  async function replaceAll(): Promise<void> {
    for (const worker of [...serving]) {
      if (isStopping) return;
      try {
        await start();
      } catch (error) {
        if (isStopping) return;
        throw error;
      }
      await leave(worker);
    }
    logger.info({ workers: count }, 'workers replaced');
  }

  async function fillUp(): Promise<void> {
    while (serving.size < count) {
      await sleep(PAUSE);
      if (isStopping) return;
      const starts = await Promise.allSettled(Array.from({ length: count - serving.size }, start));
      for (const one of starts) {
        if (one.status === 'rejected')
          logger.error({ err: one.reason }, 'a new worker could not be started; trying again');
      }
    }
  }

  /** Answers with the port, once the worker listens. */
  async function start(): Promise<number> {
    const worker = cluster.fork();
    const { port, failure = 'A worker ended while it started.' } = await new Promise<Start>((resolve) => {
      worker.on('message', ({ start }: { start?: Start }) => start && resolve(start));
      void whenEnded(worker).then(() => resolve({}));
    });
    if (port === undefined) throw new Error(failure);
    serving.add(worker);
    worker.once('exit', (exitCode: number, signal: string) => {
      if (!serving.delete(worker) || isStopping) return;
      const { pid } = worker.process;
      logger.error({ worker: pid, exitCode, signal }, 'a worker ended unexpectedly; starting another');
      void change(fillUp);
    });
    return port;
  }

  async function leave(worker: Worker): Promise<void> {
    // One that has ended by itself has gone from here.
    if (!serving.delete(worker)) return;
    const gone = whenEnded(worker);
    worker.send({ isReplaced: true } satisfies Leave, () => {});
    await Promise.race([gone, sleep(PATIENCE, undefined, { ref: false })]);
  }

  async function stop(): Promise<void> {
    isStopping = true;
    const all = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
    await Promise.all(all.map(end));
  }
}

async function end(worker: Worker): Promise<void> {
  if (worker.isDead()) return;
  const gone = whenEnded(worker);
  worker.process.kill('SIGTERM');
  await gone;
}
