import { readFileSync } from 'node:fs';

/** What docs/limits.md says of a limit; not every limit rejects a request. */
interface Told {
  /** In bytes, milliseconds or pieces. */
  readonly most: number;
  readonly status: number | undefined;
  readonly code: string | undefined;
}

const UNITS: Readonly<Record<string, number>> = { KiB: 2 ** 10, MiB: 2 ** 20, s: 1_000 };
const page = readFileSync(new URL('../../../docs/limits.md', import.meta.url), 'utf8');
const section = page.slice(page.indexOf('\n## Any request'));

const told = new Map<string, Told>();
for (const [, what = '', most = '', status, code] of section.matchAll(
  /^\| (.+?) \| (\d.*?) \| (?:(\d{3}) `(\w+)`)?.+$/gm,
)) {
  told.set(what, { most: numberIn(most), status: status === undefined ? undefined : Number(status), code });
}

/** Every limit that has a number there: those that are settings have none. */
export const toldLimits: readonly string[] = [...told.keys()];

/** @throws {Error} when it has no such row */
export function limitOf(what: string): Told {
  const limit = told.get(what);
  if (limit === undefined) throw new Error(`docs/limits.md has no limit of ${what}.`);
  return limit;
}

/** As 5,000, 16 KiB or 10 s. */
function numberIn(text: string): number {
  const [, digits = '', unit = ''] = /^([\d,]+)(?: (\w+))?$/.exec(text) ?? [];
  return Number(digits.replaceAll(',', '')) * (UNITS[unit] ?? 1);
}
