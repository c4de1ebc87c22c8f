import { fileURLToPath } from 'node:url';
import { setup as buildService } from '../support/global-build.ts';
import { installFromLock } from '../support/install.ts';
import { makeTemporaryFolder } from '../support/temporary.ts';
import { measureAblation } from './ablation.ts';
import { checkRatios, type Tally } from './check.ts';
import {
  type Contest,
  contestsAmongPeers,
  contestsOfGrowth,
  contestsOfWorkers,
  withTargetsAlone,
} from './contests/contest.ts';
import { startDatabases } from './data/databases.ts';
import { measureEvents } from './events.ts';
import { findGenerator } from './load/generator.ts';
import { type Bench, measureContest } from './measure/contest.ts';
import { measureStarts } from './measure/start.ts';
import { type Options, readOptions } from './options.ts';
import { endAll } from './processes.ts';
import { measureProtections } from './protections.ts';
import { writeRatios } from './report/ratios.ts';
import { writeEvents, writeResults } from './report/results.ts';
import { contestTable, type Outcome, startTable, targetTable } from './report/tables.ts';
import { soak } from './soak/soak.ts';

/** The maximum time of an interrupted run to clean up, in milliseconds. */
const GRACE = 5_000;

let isInterrupted = false;
// For every signal: a second one, which npm passes on too, would end the process before it has cleaned up.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, interrupt);

// npm ends without passing the signal on.
const parent = process.ppid;
setInterval(() => process.ppid !== parent && interrupt(), 1_000).unref();

main().catch((error: unknown) => {
  if (!isInterrupted) process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});

/** Ends the measured processes, so the work fails and cleans up; at an exit no process or folder is left either. */
function interrupt(): void {
  isInterrupted = true;
  endAll();
  setTimeout(() => process.exit(1), GRACE).unref();
}

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2));
  installFromLock(fileURLToPath(new URL('.', import.meta.url)));
  if (options.buildsService) await buildService();
  const folder = makeTemporaryFolder();
  const databases = await startDatabases(say);
  const bench = { databases, generator: await findGenerator(), folder: folder.path, say };
  try {
    if (options.mode === 'start') await runStarts(options, bench);
    else if (options.mode === 'ablate') await runAblation(options, bench);
    else if (options.mode === 'protections') await runProtections(options, bench);
    else if (options.mode === 'events') await runEvents(options, bench);
    else if (options.mode === 'check') await runCheck(options, bench);
    else if (options.mode === 'soak') await runSoak(options, bench);
    else await measure(options, bench);
  } finally {
    await databases.stop();
    folder.remove();
  }
}

async function measure(options: Options, bench: Bench): Promise<void> {
  const { builds, large, effort, targetsAlone } = options;
  const all = [...contestsAmongPeers(builds), ...contestsOfGrowth(builds[0], large), ...contestsOfWorkers(builds[0])];
  const contests = chosen(targetsAlone ? withTargetsAlone(all) : all, options);
  const outcomes: Outcome[] = [];
  for (const contest of contests) {
    say(`\n${contest.name}`);
    const outcome = { contest, results: await measureContest(contest, effort, bench) };
    say(contestTable(outcome));
    outcomes.push(outcome);
  }
  say(`\n${targetTable(outcomes)}`);
  const starts = options.starts > 0 ? await runStarts(options, bench) : [];
  if (!options.writes) return;
  writeResults({ outcomes, starts, effort, bench });
  writeRatios(outcomes);
  say('\nWritten to test/bench/RESULTS.md and test/bench/ratios.json.');
}

async function runStarts({ builds, starts }: Options, { databases }: Bench) {
  const times = await measureStarts(builds[0], starts, databases);
  say(`\n${startTable(times)}`);
  return times;
}

async function runAblation({ builds, only, effort }: Options, bench: Bench): Promise<void> {
  say(`\n${await measureAblation(builds[0], only, effort, bench)}`);
}

async function runProtections({ builds, only, effort }: Options, bench: Bench): Promise<void> {
  say(`\n${await measureProtections(builds[0], only, effort, bench)}`);
}

async function runEvents({ builds, effort, writes }: Options, bench: Bench): Promise<void> {
  const figures = await measureEvents(builds[0], effort, bench);
  say(`\n${figures}`);
  if (writes) writeEvents(figures, effort);
}

async function runCheck(options: Options, bench: Bench): Promise<void> {
  const contests = chosen(contestsAmongPeers(options.builds.slice(0, 1)), options);
  report(await checkRatios(contests, options.effort, bench));
}

async function runSoak({ builds, requests }: Options, bench: Bench): Promise<void> {
  report(await soak(builds[0], requests, bench));
}

function report({ passed, failed }: Tally): void {
  say(`${passed} passed, ${failed} failed`);
  if (failed > 0) process.exitCode = 1;
}

function chosen(contests: readonly Contest[], { only }: Options): readonly Contest[] {
  const found = contests.filter(({ name }) => only.test(name));
  if (found.length > 0) return found;
  throw new Error(`--only ${only.source} matches none of ${contests.map(({ name }) => name).join(', ')}.`);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
