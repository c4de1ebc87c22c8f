import { readFileSync } from 'node:fs';

/** A limit in docs/limits.md; not every limit rejects a request. */
interface DocumentedLimit {
  /** In bytes, milliseconds or items. */
  readonly max: number;
  readonly status: number | undefined;
  readonly code: string | undefined;
}

const UNITS: Readonly<Record<string, number>> = { KiB: 2 ** 10, MiB: 2 ** 20, s: 1_000 };
const page = readFileSync(new URL('../../../docs/limits.md', import.meta.url), 'utf8');
const section = page.slice(page.indexOf('\n## Any request'));

const limits = new Map<string, DocumentedLimit>();
for (const [, what = '', max = '', status, code] of section.matchAll(
  /^\| (.+?) \| (\d.*?) \| (?:(\d{3}) `(\w+)`)?.+$/gm,
)) {
  limits.set(what, { max: numberIn(max), status: status === undefined ? undefined : Number(status), code });
}

/** Every limit with a number; a limit that is a setting has none. */
export const documentedLimits: readonly string[] = [...limits.keys()];

/** @throws {Error} if the page has no such row */
export function limitOf(what: string): DocumentedLimit {
  const limit = limits.get(what);
  if (limit === undefined) throw new Error(`docs/limits.md has no limit of ${what}.`);
  return limit;
}

/** Reads 5,000, 16 KiB or 10 s. */
function numberIn(text: string): number {
  const [, digits = '', unit = ''] = /^([\d,]+)(?: (\w+))?$/.exec(text) ?? [];
  return Number(digits.replaceAll(',', '')) * (UNITS[unit] ?? 1);
}
