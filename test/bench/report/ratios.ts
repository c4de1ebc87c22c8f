import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Outcome } from './tables.ts';
import { verdictsOf } from './verdict.ts';

/** By contest and what it was measured against. */
export type Ratios = Readonly<Record<string, Readonly<Record<string, number>>>>;

const file = new URL('../ratios.json', import.meta.url);

/** The ratios as they are committed; none before the first whole run. */
export function readRatios(): Ratios {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
}

/** Puts what was measured in place of what was committed of the same contests. */
export function writeRatios(outcomes: readonly Outcome[]): void {
  const measured = outcomes.map(({ contest, results }) => {
    const verdicts = verdictsOf(contest, results).map(({ against, ratio }) => [against, Number(ratio.toFixed(3))]);
    return [contest.name, Object.fromEntries(verdicts)];
  });
  const ratios = { ...readRatios(), ...Object.fromEntries(measured) };
  writeFileSync(file, `${JSON.stringify(ratios, null, 2)}\n`);
}
