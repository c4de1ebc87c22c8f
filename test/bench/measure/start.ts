import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../support/postgres-server.ts';
import { makeTemporaryFolder } from '../../support/temporary.ts';
import { type Build, serviceOf } from '../contests/contestant.ts';
import type { Databases } from '../data/databases.ts';
import { type Command, start, stop } from '../processes.ts';

/** The times from the start of the process to its first response, in seconds. */
export interface StartTime {
  readonly database: 'server' | 'embedded';
  readonly seconds: readonly number[];
}

/** The time between two attempts, in milliseconds. */
const PAUSE = 3;
const LIMIT = 60_000;

/** Starts the service that many times, on a server and on an embedded folder, both migrated. */
export async function measureStarts(build: Build, times: number, databases: Databases): Promise<readonly StartTime[]> {
  const database = await databases.copySmall();
  const folder = makeTemporaryFolder();
  try {
    const onServer = await serviceOf(build).command(database.url);
    const embedded = { ...onServer, environment: { DATA_DIR: join(folder.path, 'data') } };
    await startOnce(embedded);
    return [
      { database: 'server', seconds: await repeat(times, onServer) },
      { database: 'embedded', seconds: await repeat(times, embedded) },
    ];
  } finally {
    folder.remove();
    await database.remove();
  }
}

async function repeat(times: number, command: Command): Promise<number[]> {
  const seconds: number[] = [];
  while (seconds.length < times) seconds.push(await startOnce(command));
  return seconds;
}

/** Uses a known port, so that the log need not be read. */
async function startOnce(command: Command): Promise<number> {
  const port = await freePort();
  const began = performance.now();
  const environment = { ...command.environment, PORT: `${port}` };
  const child = start({ ...command, environment }, { stdio: 'ignore' });
  try {
    await untilAnswered(`http://127.0.0.1:${port}/pets?limit=1`, began + LIMIT, () => child.exitCode);
    return (performance.now() - began) / 1000;
  } finally {
    await stop(child);
  }
}

async function untilAnswered(address: string, deadline: number, exitCode: () => number | null): Promise<void> {
  for (;;) {
    const response = await fetch(address).catch(() => undefined);
    if (response?.ok) return void (await response.text());
    if (exitCode() !== null) throw new Error(`The service ended with ${exitCode()} while it started.`);
    if (performance.now() > deadline) throw new Error(`The service did not answer within ${LIMIT} ms.`);
    await sleep(PAUSE);
  }
}
