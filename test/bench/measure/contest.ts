import { join } from 'node:path';
import type { Contest, Entrant } from '../contests/contest.ts';
import type { Databases, OwnDatabase } from '../data/databases.ts';
import { type DataSize, SMALL } from '../data/size.ts';
import { CONNECTIONS, type Generator, type Load } from '../load/generator.ts';
import { type Running, startServer } from '../processes.ts';
import { assertAnswers, assertSameAnswers, type Started } from './answers.ts';
import { processorTime, residentMemory } from './usage.ts';

/** The result of an entrant in a round. */
export interface Round extends Load {
  /** Requests per second. */
  readonly rate: number;
  /** The processor time of the server process, in microseconds; undefined where the system does not provide it. */
  readonly processorTimePerRequest: number | undefined;
  /** The memory of the server process after the round, in mebibytes. */
  readonly memory: number | undefined;
}

/** The rounds of an entrant, in order. */
export interface Result {
  readonly entrant: Entrant;
  readonly rounds: readonly Round[];
}

/** The duration of a measurement. */
export interface Effort {
  readonly rounds: number;
  /** The duration of a round, and of the warm-up before the first. */
  readonly seconds: number;
  readonly warmUp: number;
}

/** The parts that a measurement needs. */
export interface Bench {
  readonly databases: Databases;
  readonly generator: Generator;
  /** For temporary files. */
  readonly folder: string;
  readonly say: (line: string) => void;
}

/** How long responses are checked before the first round, in seconds. */
const LOOK = 1;

interface Competitor extends Started {
  readonly running: Running;
  readonly file: string;
}

/**
 * Starts every entrant of a contest on fresh data, compares their responses before and after, warms them up, and then
 * measures in turns: A B C A B C. So a slow period of the machine affects all of them.
 *
 * @throws {Error} if responses differ, a request fails under load, or the database does not match the responses
 */
export async function measureContest(contest: Contest, effort: Effort, bench: Bench): Promise<readonly Result[]> {
  const { workload, entrants, differIn } = contest;
  const small = entrants.some(({ data }) => data === SMALL) ? await bench.databases.copySmall() : undefined;
  const compare = differIn === 'Contestant' ? assertSameAnswers : assertAnswers;
  const cutOff = CONNECTIONS * (effort.rounds + 2) * entrants.length;
  try {
    const { rounds, warmUps, settle } = await withEntrants(contest, small, bench, async (competitors) => {
      await compare(workload, competitors);
      const settle = small && (await workload.audit?.(small.url));
      const measured = await runRounds(competitors, effort, bench);
      if (workload.audit === undefined) await compare(workload, competitors);
      return { ...measured, settle };
    });
    const answered = [...warmUps, ...rounds.flat()].reduce((sum, { requests }) => sum + requests, 0);
    await settle?.(answered, cutOff);
    return entrants.map((entrant, n) => ({ entrant, rounds: rounds.map((round) => round[n] as Round) }));
  } finally {
    await small?.remove();
  }
}

async function runRounds(competitors: readonly Competitor[], { rounds, seconds, warmUp }: Effort, bench: Bench) {
  const { run, look } = bench.generator;
  const warmUps = [
    ...(await inTurns(competitors, (competitor) => runRound(competitor, warmUp, run))),
    ...(await inTurns(competitors, (competitor) => runRound(competitor, LOOK, look))),
  ];
  const done: Round[][] = [];
  for (let n = 1; n <= rounds; n++) {
    const round = await inTurns(competitors, (competitor) => runRound(competitor, seconds, run));
    const shown = competitors.map(
      ({ entrant }, at) => `${entrant.name} ${Math.round(round[at]?.rate ?? 0).toLocaleString('en')}`,
    );
    bench.say(`  round ${n}: ${shown.join(', ')}`);
    done.push(round);
  }
  return { warmUps, rounds: done };
}

async function runRound(
  { entrant, base, running, file }: Competitor,
  seconds: number,
  ask: Generator['run'],
): Promise<Round> {
  const { pid } = running;
  const before = processorTime(pid);
  const load = await ask(file, base, seconds).catch((error: Error) => {
    throw new Error(`${entrant.name} failed under load. ${error.message}\n${running.output()}`, { cause: error });
  });
  const after = processorTime(pid);
  return {
    ...load,
    rate: load.requests / load.seconds,
    processorTimePerRequest: before && after && (after - before) / load.requests,
    memory: residentMemory(pid),
  };
}

/** Starts the entrants for the work, and stops them in any case. */
async function withEntrants<T>(
  { workload, variety, entrants }: Contest,
  small: OwnDatabase | undefined,
  { databases, generator, folder }: Bench,
  work: (competitors: readonly Competitor[]) => Promise<T>,
): Promise<T> {
  const own: OwnDatabase[] = [];
  const urlFor = async (data: DataSize, isOwn: boolean) => {
    if (data !== SMALL || small === undefined) return databases.large(data);
    if (!isOwn) return small.url;
    const copy = await databases.copySmall();
    own.push(copy);
    return copy.url;
  };
  const starts = await Promise.allSettled(
    entrants.map(async ({ name, contestant, data }) => {
      const url = await urlFor(data, contestant.ownDatabase ?? false);
      const running = await startServer(name, await contestant.command(url));
      return { running, fields: await contestant.fields?.(url) };
    }),
  );
  const started = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
  try {
    const failed = starts.find((start) => start.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    const competitors = await inTurns(entrants, async (entrant, n) => {
      const { running, fields } = started[n] as (typeof started)[number];
      const site = { base: running.base, dialect: entrant.contestant.dialect, data: entrant.data };
      const plain = await workload.requests(site, variety);
      const requests = fields === undefined ? plain : plain.map((request) => ({ ...request, fields }));
      const file = join(folder, `requests-${n}`);
      generator.write(file, running.base, requests);
      return { entrant, running, base: running.base, requests, file };
    });
    return await work(competitors);
  } finally {
    await Promise.all(started.map(({ running }) => running.stop()));
    await Promise.all(own.map((copy) => copy.remove()));
  }
}

async function inTurns<T, R>(values: readonly T[], act: (value: T, at: number) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (const [at, value] of values.entries()) results.push(await act(value, at));
  return results;
}
