import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { answerMetrics } from './metrics.ts';

/** How long a worker that ended by itself is missed before another takes its place, in milliseconds. */
const PAUSE = 500;

/** What a worker tells once it listens. */
interface Ready {
  readonly port: number;
}

/** Several processes that serve on one port. */
export interface Workers {
  readonly port: number;
  /** Replaces them one after another, each once its successor listens: no request is lost. */
  replace(): Promise<void>;
  /** Stops them all, and answers when the last has gone. */
  stop(): Promise<void>;
}

/** Tells the process that started this one that it listens. */
export function tellReady(ready: Ready): void {
  process.send?.({ ready });
}

/**
 * Starts processes that serve on one port, and keeps up their number. The system's connections are handed out in turn.
 *
 * @throws {Error} when the first of them cannot start; it has said why
 */
export async function startWorkers(count: number, logger: Logger): Promise<Workers> {
  let isStopping = false;
  answerMetrics();
  const started = await Promise.all(Array.from({ length: count }, start));
  return {
    port: (started[0] as Ready).port,
    async replace() {
      for (const worker of running()) {
        await start();
        await end(worker);
      }
      logger.info({ workers: count }, 'workers replaced');
    },
    async stop() {
      isStopping = true;
      await Promise.all(running().map(end));
    },
  };

  async function start(): Promise<Ready> {
    const worker = cluster.fork();
    const ready = new Promise<Ready>((resolve) => {
      worker.on('message', (message: { ready?: Ready }) => {
        if (message.ready !== undefined) resolve(message.ready);
      });
    });
    const gone = once(worker, 'exit').then(() => undefined);
    const first = await Promise.race([ready, gone]);
    if (first === undefined) throw new Error('A worker could not start.');
    void gone.then(() => {
      if (!isStopping && !worker.exitedAfterDisconnect) void startAgain(worker);
    });
    return first;
  }

  async function startAgain({ process: { pid, exitCode, signalCode } }: Worker): Promise<void> {
    logger.error({ worker: pid, exitCode, signal: signalCode }, 'a worker ended by itself; another takes its place');
    while (!isStopping) {
      await sleep(PAUSE);
      if (
        await start().then(
          () => true,
          () => false,
        )
      )
        return;
    }
  }
}

function running(): Worker[] {
  return Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
}

async function end(worker: Worker): Promise<void> {
  if (worker.isDead()) return;
  const gone = once(worker, 'exit');
  // Otherwise its end would look like an accident.
  worker.exitedAfterDisconnect = true;
  worker.process.kill('SIGTERM');
  await gone;
}
