import type { Annotated } from './annotated.ts';
import { addDays, daysBetween, isPastSunset, levelOf, toDay } from './annotation.ts';

export const WINDOW_DAYS = 30;

/** The first day of the window that ends on the day of the instant. */
export function windowOpens(now: Date): string {
  return addDays(toDay(now), 1 - WINDOW_DAYS);
}

export interface ClientUse {
  readonly client: string;
  readonly uses: number;
  readonly lastSeen: Date;
}

/** In the window. */
export interface Usage {
  /** Since when its uses are counted; undefined if they are not yet. */
  readonly countedSince: Date | undefined;
  /** Uses by day, in UTC, without the days that have none. */
  readonly byDay: ReadonlyMap<string, number>;
  /** The number of clients; `(others)` counts as one. */
  readonly clientCount: number;
  /** Those with the most uses, at most a hundred. */
  readonly clients: readonly ClientUse[];
  readonly lastUsed: Date | undefined;
}

export type ReportEntry = ReturnType<typeof entryOf>;
export type ReportedDeprecation = NonNullable<ReportEntry['deprecation']>;

/** Whether an element can be removed. */
interface Verdict {
  /** As a sentence without a full stop. */
  readonly verdict: string;
  /** Whether its removal would break clients. */
  readonly removal: 'safe' | 'blocked' | 'unknown';
}

export interface RestNames {
  /** By coordinate: `Query.books` -> `GET /books`, and `Query.books(title:)` -> `title of GET /books`. */
  readonly names: ReadonlyMap<string, string>;
  /** The replacements of deprecated root fields, by coordinate: `Query.book` -> `GET /books?id={bookId}`. */
  readonly successors: ReadonlyMap<string, string>;
  /** The coordinates of annotated fields in responses, whether clients read them or not. */
  readonly answered: ReadonlySet<string>;
}

interface ReportTime {
  readonly now: Date;
  readonly isRehearsal: boolean;
}

/** Sorted by sunset, and without one by coordinate. `usage` is by coordinate. */
export function lifecycleReport(
  annotated: readonly Annotated[],
  rest: RestNames,
  usage: ReadonlyMap<string, Usage>,
  time: ReportTime,
): ReportEntry[] {
  const entries = annotated.map((one) => entryOf(one, rest, usage.get(one.coordinate) ?? UNCOUNTED, time));
  return entries.sort((one, other) => (sortKey(one) < sortKey(other) ? -1 : 1));
}

const UNCOUNTED: Usage = {
  countedSince: undefined,
  byDay: new Map(),
  clientCount: 0,
  clients: [],
  lastUsed: undefined,
};

function sortKey({ deprecation, coordinate }: ReportEntry): string {
  return `${deprecation?.sunset ?? '~'} ${coordinate}`;
}

function entryOf(one: Annotated, { names, successors, answered }: RestNames, usage: Usage, time: ReportTime) {
  const { coordinate, annotations } = one;
  const { stability, deprecation } = annotations;
  const uses = [...usage.byDay.values()].reduce((sum, ofDay) => sum + ofDay, 0);
  return {
    coordinate,
    /** Its REST operation, if it is a root field with a route, or an argument of one. */
    operation: names.get(coordinate.replace(/\(.*$/, '')),
    /** Its own name in REST: the operation, or its parameter. */
    restName: names.get(coordinate),
    level: levelOf(annotations),
    stability,
    deprecation: deprecation && {
      ...deprecation,
      /** 0 on the sunset day itself, negative after it. */
      daysLeft: daysBetween(toDay(time.now), deprecation.sunset),
      successor: deprecation.successor.coordinate,
      successorOperation: successors.get(coordinate) ?? names.get(deprecation.successor.coordinate),
    },
    usage,
    uses,
    ...(answered.has(coordinate) ? IN_RESPONSES : verdictOf(one, usage, uses, time)),
  };
}

const IN_RESPONSES: Verdict = { verdict: 'REST responses contain it, so its use is not known', removal: 'unknown' };

function verdictOf(
  { annotations: { deprecation }, isReturned }: Annotated,
  usage: Usage,
  uses: number,
  { now, isRehearsal }: ReportTime,
): Verdict {
  if (isRehearsal) return { verdict: 'not known while another day is rehearsed', removal: 'unknown' };
  const { clientCount, countedSince } = usage;
  if (uses > 0) {
    const clients = clientCount === 1 ? '1 client' : `${clientCount} clients`;
    return deprecation === undefined
      ? { verdict: `${clients} in the last ${WINDOW_DAYS} days`, removal: 'unknown' }
      : { verdict: `${clients} left`, removal: 'blocked' };
  }
  if (isReturned) return { verdict: 'responses can contain it, so its use is not known', removal: 'unknown' };
  const counted = countedSince === undefined ? 0 : daysBetween(toDay(countedSince), toDay(now));
  if (counted < WINDOW_DAYS) return { verdict: `no use yet; counted ${forDays(counted)}`, removal: 'unknown' };
  const unused = `no use for ${WINDOW_DAYS} days`;
  if (deprecation === undefined) return { verdict: unused, removal: 'unknown' };
  const when = isPastSunset(deprecation, now) ? '' : ` after ${deprecation.sunset}`;
  return { verdict: `safe to remove${when}: ${unused}`, removal: 'safe' };
}

function forDays(days: number): string {
  if (days < 1) return 'since today';
  return days === 1 ? 'for 1 day' : `for ${days} days`;
}
