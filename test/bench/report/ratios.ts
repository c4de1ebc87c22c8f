import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Result } from '../measure/contest.ts';
import type { Outcome } from './tables.ts';
import { pairedRatio } from './verdict.ts';

/** By contest and what it was measured against. */
export type Ratios = Readonly<Record<string, Readonly<Record<string, number>>>>;

const file = new URL('../ratios.json', import.meta.url);

/** The ratios as they are committed; none before the first whole run. */
export function readRatios(): Ratios {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
}

/** Puts what was measured in place of what was committed of the same contests: as `--check` measures it again. */
export function writeRatios(outcomes: readonly Outcome[]): void {
  const measured = outcomes.map(({ contest, results }) => {
    const [ours, ...others] = results;
    const ratios = others.map((other) => [other.entrant.name, Number(pairedRatio(ours as Result, other).toFixed(3))]);
    return [contest.name, Object.fromEntries(ratios)];
  });
  const ratios = { ...readRatios(), ...Object.fromEntries(measured) };
  writeFileSync(file, `${JSON.stringify(ratios, null, 2)}\n`);
}
