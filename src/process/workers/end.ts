import type { Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

const INTERVAL = 5;

/** Resolves when the worker has exited, and its last message has been received. */
export async function whenEnded(worker: Worker): Promise<void> {
  await once(worker, 'exit');
  await lastMessage(worker);
}

/**
 * Resolves when the last message of a worker that has exited has been received, which may be after its exit. It polls,
 * because there is no `disconnect` event for a worker that was just being handed a connection.
 */
export async function lastMessage(worker: Worker): Promise<void> {
  while (worker.isConnected()) await sleep(INTERVAL);
}
