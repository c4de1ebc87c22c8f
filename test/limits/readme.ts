import { readFileSync } from 'node:fs';

/** What the README tells of a limit; who goes beyond some of them is not refused. */
interface Told {
  /** In bytes, milliseconds or pieces. */
  readonly most: number;
  readonly status: number | undefined;
  readonly code: string | undefined;
}

const UNITS: Readonly<Record<string, number>> = { KiB: 2 ** 10, MiB: 2 ** 20, s: 1_000 };
const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
const [, section = ''] = /^## Limits\n(.+?)^## /ms.exec(readme) ?? [];

const told = new Map<string, Told>();
for (const [, what = '', most = '', status, code] of section.matchAll(
  /^\| (.+?) \| (\d.*?) \| (?:(\d{3}) `(\w+)`)?.+$/gm,
)) {
  told.set(what, { most: numberIn(most), status: status === undefined ? undefined : Number(status), code });
}

/** Every limit that has a number there: those that are settings have none. */
export const toldLimits: readonly string[] = [...told.keys()];

/** @throws {Error} when the README does not tell it */
export function limitOf(what: string): Told {
  const limit = told.get(what);
  if (limit === undefined) throw new Error(`The README tells no limit of ${what}.`);
  return limit;
}

/** As 5,000, 16 KiB or 10 s. */
function numberIn(text: string): number {
  const [, digits = '', unit = ''] = /^([\d,]+)(?: (\w+))?$/.exec(text) ?? [];
  return Number(digits.replaceAll(',', '')) * (UNITS[unit] ?? 1);
}
