import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Result } from '../measure/contest.ts';
import type { Outcome } from './tables.ts';
import { pairedRatio, type Ratio } from './verdict.ts';

/** By contest, and by the other entrant. */
type Ratios = Readonly<Record<string, Readonly<Record<string, Ratio>>>>;

const file = new URL('../ratios.json', import.meta.url);

/** The committed ratios; none before the first full run. */
export function readRatios(): Ratios {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
}

/** Replaces the committed ratios of the same contests by the measured ones, as `--check` measures them. */
export function writeRatios(outcomes: readonly Outcome[]): void {
  const measured = outcomes.map(({ contest, results }) => {
    const [ours, ...others] = results;
    const ratios = others.map((other) => {
      const { rate, processor } = pairedRatio(ours as Result, other);
      return [other.entrant.name, { rate: rounded(rate), processor: rounded(processor) }];
    });
    return [contest.name, Object.fromEntries(ratios)];
  });
  const ratios = { ...readRatios(), ...Object.fromEntries(measured) };
  writeFileSync(file, `${JSON.stringify(ratios, null, 2)}\n`);
}

function rounded(ratio: number): number {
  return Number(ratio.toFixed(3));
}
