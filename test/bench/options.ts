import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type Build, PEERS } from './contests/contestant.ts';
import type { DataSize } from './data/size.ts';
import type { Effort } from './measure/contest.ts';

/** Other kinds of runs. */
const MODES = ['check', 'start', 'ablate', 'protections', 'events', 'soak'] as const;
type Mode = (typeof MODES)[number];

/** The options of a run. */
export interface Options {
  readonly mode: 'measure' | Mode;
  /** The service first, then further builds of it. */
  readonly builds: readonly [Build, ...Build[]];
  /** Whether the run builds the first one. */
  readonly buildsService: boolean;
  /** Selects the contests. */
  readonly only: RegExp;
  readonly effort: Effort;
  readonly large: DataSize;
  /** Whether to leave out peers without a target. */
  readonly targetsAlone: boolean;
  /** How often a start is measured; 0 for a run with selected contests that writes no results. */
  readonly starts: number;
  /** The number of requests of a soak test. */
  readonly requests: number;
  /** Whether to write the committed results. */
  readonly writes: boolean;
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SERVICE = 'Pet store';

// Many short rounds, so that a disturbance of some seconds affects few rounds of each entrant.
const FULL = { rounds: 15, seconds: 1, warmUp: 8 };
const QUICK = { rounds: 3, seconds: 1, warmUp: 1 };
const PART = { rounds: 15, seconds: 1, warmUp: 5 };
const EFFORTS: Readonly<Record<string, Effort>> = {
  check: { rounds: 3, seconds: 1, warmUp: 3 },
  ablate: PART,
  // Of each of several processes.
  protections: { rounds: 4, seconds: 1, warmUp: 5 },
  // What events cost is less than how much two rounds differ.
  events: { ...PART, rounds: 45 },
};
const LARGE = { full: { pets: 5_000_000, orders: 5_000_000 }, quick: { pets: 250_000, orders: 250_000 } };
const SOAK = { full: 1_000_000, quick: 50_000 };

/**
 * Reads the command line.
 *
 * @throws {Error} that names the invalid option
 */
export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      check: { type: 'boolean', default: false },
      start: { type: 'boolean', default: false },
      ablate: { type: 'boolean', default: false },
      protections: { type: 'boolean', default: false },
      events: { type: 'boolean', default: false },
      soak: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
      only: { type: 'string', default: '' },
      dist: { type: 'string', multiple: true, default: [] },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
    },
  });
  const { quick, write, only, dist } = values;
  const [mode = 'measure', ...others] = MODES.filter((name) => values[name]);
  if (others.length > 0) throw new Error(`--${mode} and --${others[0]} are runs of their own; ask for one of them.`);
  const fallback = EFFORTS[mode] ?? (quick ? QUICK : FULL);
  const { builds, buildsService } = readBuilds(dist);
  const isWhole = !quick && mode === 'measure' && only === '' && dist.length === 0;
  return {
    mode,
    builds,
    buildsService,
    only: new RegExp(only, 'i'),
    effort: {
      ...fallback,
      rounds: wholeNumber('--rounds', values.rounds, fallback.rounds),
      seconds: wholeNumber('--seconds', values.seconds, fallback.seconds),
    },
    large: quick ? LARGE.quick : LARGE.full,
    targetsAlone: quick,
    starts: only !== '' && !write ? 0 : quick ? 1 : 5,
    requests: quick ? SOAK.quick : SOAK.full,
    writes: isWhole || write,
  };
}

/** A folder replaces `dist`; `name=folder` is a further contestant. */
function readBuilds(given: readonly string[]): Pick<Options, 'builds' | 'buildsService'> {
  const named = given.map((text) => /^([^=/]+)=(.+)$/.exec(text)).filter((match) => match !== null);
  const [folder, ...others] = given.filter((text) => !/^[^=/]+=/.test(text));
  if (others.length > 0)
    throw new Error('Only one --dist can stand for the service; name the others: --dist name=folder.');
  const further = named.map(([, name = '', path = '']) => ({ name, folder: resolve(path) }));
  const names = [SERVICE, ...Object.keys(PEERS), ...further.map(({ name }) => name)];
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new Error(`There are two contestants called ${twice}; give the build another name.`);
  const service = { name: SERVICE, folder: folder === undefined ? join(ROOT, 'dist') : resolve(folder) };
  const empty = [...further, ...(folder === undefined ? [] : [service])].find(
    (build) => !existsSync(join(build.folder, 'main.js')),
  );
  if (empty !== undefined) throw new Error(`${empty.folder} is no build of the service: it has no main.js.`);
  return { builds: [service, ...further], buildsService: folder === undefined };
}

function wholeNumber(name: string, text: string | undefined, fallback: number): number {
  if (text === undefined) return fallback;
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new Error(`${name} must be a whole number from 1, not ${text}.`);
  return Number(text);
}
