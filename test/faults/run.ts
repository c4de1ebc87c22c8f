import { parseArgs } from 'node:util';
import { attackScenarios } from './attacks.ts';
import { clocks } from './clocks.ts';
import { failovers } from './failovers.ts';
import { type Finding, NotHere, type Scenario, type Size } from './finding.ts';
import { fullDisks } from './full-disk.ts';
import { input } from './input.ts';
import { kills } from './kills.ts';
import { mostExpensive } from './most-expensive.ts';
import { outages } from './outages.ts';
import { replays } from './replays.ts';
import { record } from './results.ts';
import { rotations } from './rotations.ts';
import { stops } from './stops.ts';
import { unread } from './unread.ts';

const FULL: Size = {
  patience: 1,
  deadline: 10,
  serviceKills: 50,
  serverKills: 20,
  rolls: 5,
  replays: 10_000,
  pets: 300_000,
  attack: 15,
  // A write that comes alone has its event published in a transaction of its own, so it costs three to four.
  maxReads: 4,
  candidates: 300,
  seed: 'random',
  rotations: 5,
  fills: 5,
  jumps: [1, -1, 24, 0],
};
const QUICK: Size = {
  patience: 4,
  deadline: 2,
  serviceKills: 5,
  serverKills: 3,
  rolls: 1,
  replays: 500,
  pets: 20_000,
  attack: 4,
  maxReads: 5,
  candidates: 60,
  seed: 1,
  rotations: 1,
  fills: 1,
  jumps: [1, -1],
};

const { values } = parseArgs({
  options: {
    /** Shortened, as in CI. */
    quick: { type: 'boolean', default: false },
    /** Only the scenarios whose name contains it. */
    only: { type: 'string' },
    /** Writes RESULTS.md. */
    record: { type: 'boolean', default: false },
  },
});
const { only } = values;
if (values.record && (values.quick || only !== undefined))
  throw new Error('--record needs a full run: leave out --quick and --only.');
/** What these promise holds beside other load too, so a quick run has both lists at the same time. */
const loadable = [
  [...outages, ...stops, ...rotations],
  [...kills, ...replays, ...fullDisks, ...failovers, ...clocks, ...input],
];
/** These measure speed. */
const measuring = [...attackScenarios, ...unread, mostExpensive];
const all = [...loadable.flat(), ...measuring];
const isChosen = ({ name }: Scenario) => name.toLowerCase().includes(only?.toLowerCase() ?? '');
if (!all.some(isChosen)) {
  throw new Error([`No scenario has "${only}" in its name:`, ...all.map(({ name }) => name)].join('\n  '));
}

const found = new Map<string, readonly Finding[]>();
let [passed, failed] = [0, 0];
if (values.quick) await Promise.all(loadable.map(runAll));
else await runAll(loadable.flat());
await runAll(measuring);
if (values.record) record(found);
process.stdout.write(`${passed} passed, ${failed} failed\n`);
if (failed > 0) process.exitCode = 1;

async function runAll(scenarios: readonly Scenario[]): Promise<void> {
  for (const scenario of scenarios.filter(isChosen)) await runOne(scenario);
}

async function runOne({ name, run }: Scenario): Promise<void> {
  const findings = await run(values.quick ? QUICK : FULL).catch((error: Error) => {
    // CI may not be able to mount a disk; a recorded run must be complete.
    if (error instanceof NotHere && values.quick) process.stdout.write(`NOT TRIED  ${name}: ${error.message}\n`);
    else return [{ promise: 'it can be tried', measured: error.message, holds: false }];
    return [];
  });
  found.set(name, findings);
  if (findings.length > 0) process.stdout.write(`${name}\n`);
  for (const { promise, measured, holds } of findings) {
    process.stdout.write(`  ${holds ? 'holds ' : 'FAILS '} ${promise}: ${measured}\n`);
    if (holds) passed++;
    else failed++;
  }
}
