import type { Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

/** Between looks, in milliseconds. */
const PAUSE = 5;

/** Answers when the worker has ended, and what it said last has been heard. */
export async function whenEnded(worker: Worker): Promise<void> {
  await once(worker, 'exit');
  await lastMessage(worker);
}

/**
 * Answers when what a worker that has ended said last has been heard: that may come after its exit. There is no event
 * for it, for a disconnect is not told of one that was just being handed a connection.
 */
export async function lastMessage(worker: Worker): Promise<void> {
  while (worker.isConnected()) await sleep(PAUSE);
}
