import { parseArgs } from 'node:util';
import type { Size } from './finding.ts';
import { kills } from './kills.ts';
import { outages } from './outages.ts';
import { stops } from './stops.ts';

const FULL: Size = { deadline: 10, serviceKills: 50, serverKills: 20, rolls: 5, replays: 10_000 };
const QUICK: Size = { deadline: 2, serviceKills: 5, serverKills: 3, rolls: 1, replays: 500 };

const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false }, only: { type: 'string' } } });
const { only } = values;
const scenarios = [...outages, ...stops, ...kills].filter(({ name }) => only === undefined || name.includes(only));
if (scenarios.length === 0) throw new Error(`No scenario's name has ${only} in it.`);

let [passed, failed] = [0, 0];
for (const { name, run } of scenarios) {
  process.stdout.write(`${name}\n`);
  const findings = await run(values.quick ? QUICK : FULL).catch((error: Error) => [
    { promise: 'it can be tried', measured: error.message, holds: false },
  ]);
  for (const { promise, measured, holds } of findings) {
    process.stdout.write(`  ${holds ? 'holds ' : 'FAILS '} ${promise}: ${measured}\n`);
    if (holds) passed++;
    else failed++;
  }
}
process.stdout.write(`${passed} passed, ${failed} failed\n`);
if (failed > 0) process.exitCode = 1;
