import type { Tally } from '../check.ts';
import { type Build, serviceOf } from '../contests/contestant.ts';
import { serviceDialect } from '../contests/dialect.ts';
import { SMALL } from '../data/size.ts';
import type { Bench } from '../measure/contest.ts';
import { residentMemory } from '../measure/usage.ts';
import { type Running, startServer } from '../processes.ts';
import { fine, table, whole } from '../report/table.ts';
import { MAX_GROWTH, MAX_MEMORY } from '../targets.ts';
import { hostileRequest } from './hostile.ts';
import { type Answered, Sender } from './send.ts';

/** The state of the service after that many requests. */
interface Reading {
  readonly requests: number;
  /** In mebibytes. */
  readonly memory: number;
  readonly rate: number;
}

const READINGS = 5;
const CURSORS = 2_000;

/**
 * Sends requests that nearly all differ, and measures the growth of the service's memory.
 *
 * @param count the number of requests, a multiple of five
 */
export async function soak(build: Build, count: number, { databases, say }: Bench): Promise<Tally> {
  const database = await databases.copySmall();
  try {
    const running = await startServer(build.name, await serviceOf(build).command(database.url));
    try {
      return await soakRunning(running, count, say);
    } finally {
      await running.stop();
    }
  } finally {
    await database.remove();
  }
}

async function soakRunning(running: Running, count: number, say: Bench['say']): Promise<Tally> {
  const { base, pid } = running;
  const ids = Array.from({ length: CURSORS }, (_, n) => 1 + n * Math.floor(SMALL.orders / CURSORS));
  const known = { pets: SMALL.pets, orderCursors: await serviceDialect.cursors(base, 'orders', ids) };
  const sender = new Sender(base);
  const readings: Reading[] = [{ requests: 0, memory: memoryOf(pid), rate: 0 }];
  for (let n = 1; n <= READINGS; n++) {
    const [from, until] = [((n - 1) * count) / READINGS, (n * count) / READINGS];
    const began = performance.now();
    await sender.send(from, until, (at) => hostileRequest(at, known));
    const rate = (until - from) / ((performance.now() - began) / 1000);
    const memory = memoryOf(pid);
    readings.push({ requests: until, memory, rate });
    say(`  ${whole(until)} requests, ${whole(memory)} MiB`);
  }
  const isReady = (await fetch(`${base}/readyz`)).ok;
  sender.close();
  say(`\n${readingsTable(readings)}\n\n${statusesTable(sender.answered())}\n`);
  return judge(readings, sender.answered(), isReady, say);
}

function judge(readings: readonly Reading[], answered: Answered, isReady: boolean, say: Bench['say']): Tally {
  const [, first, ...others] = readings as [Reading, Reading, ...Reading[]];
  const last = others.at(-1) as Reading;
  const growth = last.memory / first.memory - 1;
  const failed = [...answered.statuses].filter(([status]) => status >= 500).reduce((sum, [, count]) => sum + count, 0);
  const verdicts: readonly (readonly [isHeld: boolean, words: string])[] = [
    [
      last.memory < MAX_MEMORY,
      `${whole(last.memory)} MiB after ${whole(last.requests)} requests, under ${MAX_MEMORY} MiB`,
    ],
    [
      growth < MAX_GROWTH,
      `${fine(growth * 100)} % more than after ${whole(first.requests)}, at most ${MAX_GROWTH * 100} %`,
    ],
    [
      failed + answered.broken === 0,
      `${failed} answers of 500 or above, ${answered.broken} requests without an answer`,
    ],
    [isReady, 'ready afterwards'],
  ];
  for (const [isHeld, words] of verdicts) say(`  ${isHeld ? 'passed' : 'FAILED'}  ${words}`);
  const passed = verdicts.filter(([isHeld]) => isHeld).length;
  return { passed, failed: verdicts.length - passed };
}

function readingsTable(readings: readonly Reading[]): string {
  const rows = readings.map(({ requests, memory, rate }) => [
    whole(requests),
    fine(memory),
    rate === 0 ? '-' : whole(rate),
  ]);
  return table(['Requests', 'RSS MiB', 'Requests/s'], rows);
}

function statusesTable({ statuses }: Answered): string {
  const rows = [...statuses]
    .sort(([one], [other]) => one - other)
    .map(([status, count]) => [`${status}`, whole(count)]);
  return table(['Status', 'Answers'], rows);
}

function memoryOf(pid: number): number {
  const memory = residentMemory(pid);
  if (memory === undefined)
    throw new Error('The memory of a process can only be read on Linux; run the soak test there.');
  return memory;
}
