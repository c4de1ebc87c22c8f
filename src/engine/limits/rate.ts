import { sql } from 'drizzle-orm';
import { LRUCache } from 'lru-cache';
import type { Database } from '../db/client.ts';
import { ServiceError } from '../errors.ts';
import { rateLimits } from './table.ts';

/** How many units a caller may use per window of this many seconds. */
export interface Quota {
  readonly units: number;
  readonly seconds: number;
}

export type RateLimiter = ReturnType<typeof createRateLimiter>;

/** The delay after which counts are stored, in milliseconds; until then, other processes don't know them. */
const SHARED_AFTER = 1_000;
/** How many callers are counted at once; the least recently used are dropped. */
const MAX_CALLERS = 10_000;

interface Use {
  /** The units used in all processes, as far as this one knows. */
  used: number;
  unstored: number;
  window: number;
}

/** Milliseconds since the epoch, by a clock that never jumps: a jump would give everyone a new quota. */
export function steadyTime(): number {
  return performance.timeOrigin + performance.now();
}

/**
 * Counts in windows of the quota's length, which start at the same time in all processes. Each process counts on its
 * own, and adds its counts to the shared ones in the database once a second, so no request queries the database.
 *
 * Processes read the database's time when they start, because their own clocks may differ. If its clock jumped between
 * two starts, a process that finds a later window than its own continues in that one.
 *
 * @param clock the time in milliseconds since the epoch; it must not jump
 */
export function createRateLimiter(
  { units: quota, seconds }: Quota,
  database: Database,
  clock: () => number,
  onFailure: (error: unknown) => void,
) {
  // The counts of a dropped caller are not stored: otherwise invented callers would fill the memory.
  const uses = new LRUCache<string, Use>({ max: MAX_CALLERS });
  let timer: NodeJS.Timeout | undefined;
  let storing = Promise.resolve();
  let forgotten = 0;
  /** How far the shared time is ahead of the clock, in milliseconds. */
  let ahead = 0;
  // Only one process uses the embedded database.
  const isShared = database.kind === 'server';
  const policy = ['ratelimit-policy', `"default";q=${quota};w=${seconds}`];

  // Sorted, so that processes that store at the same time never deadlock.
  const add = database.statement(
    'limits.addUses',
    'write',
    sql`insert into ${rateLimits} as stored (caller, "window", used)
      select caller, "window", used from json_to_recordset(${sql.placeholder('uses')}::text::json)
        as counted(caller text, "window" bigint, used bigint) order by caller
      on conflict (caller) do update set
        used = case when stored."window" >= excluded."window" then stored.used else 0 end
          + case when stored."window" <= excluded."window" then excluded.used else 0 end,
        "window" = greatest(stored."window", excluded."window")
      returning caller, "window", used`,
    { caller: rateLimits.caller, window: rateLimits.window, used: rateLimits.used },
  );
  const time = database.statement(
    'limits.time',
    'lookup',
    sql`select (extract(epoch from clock_timestamp()) * 1000)::bigint`,
    { now: Number },
  );
  const forget = database.statement(
    'limits.forget',
    'write',
    sql`delete from ${rateLimits} where "window" < ${sql.placeholder('window')}`,
    {},
  );

  return {
    /** Reads the time of a shared database; to be called once, before the first charge. */
    async begin(): Promise<void> {
      if (!isShared) return;
      const [shared] = await time();
      if (shared !== undefined) ahead = shared.now - clock();
    },

    /**
     * @param whole the cost of the whole request, including what was charged before
     * @throws {ServiceError} RATE_LIMITED when the caller has fewer units left
     */
    charge(caller: string, units: number, whole = units): void {
      const use = useOf(caller);
      if (use.used + units > quota) throw rateLimited(units, whole, quota - use.used);
      use.used += units;
      if (!isShared) return;
      use.unstored += units;
      timer ??= setTimeout(flush, SHARED_AFTER).unref();
    },

    /** The header fields with the caller's quota (draft-ietf-httpapi-ratelimit-headers). */
    headersFor(caller: string): readonly string[] {
      const left = Math.max(0, quota - useOf(caller).used);
      return [...policy, 'ratelimit', `"default";r=${left};t=${secondsLeft()}`];
    },

    flush,
  };

  function useOf(caller: string): Use {
    const window = windowOf();
    const known = uses.get(caller);
    if (known?.window === window) return known;
    const use = { used: 0, unstored: 0, window };
    uses.set(caller, use);
    return use;
  }

  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    storing = storing.then(store).catch(onFailure);
    return storing;
  }

  async function store(): Promise<void> {
    const window = windowOf();
    const counted = [...uses]
      .filter(([, use]) => use.window === window && use.unstored > 0)
      .map(([caller, use]) => ({ caller, use, used: use.unstored }));
    if (counted.length === 0) return;
    for (const { use } of counted) use.unstored = 0;
    try {
      const rows = JSON.stringify(counted.map(({ caller, used }) => ({ caller, window, used })));
      for (const stored of await add({ uses: rows })) adopt(stored, window);
    } catch (error) {
      for (const { use, used } of counted) use.unstored += used;
      throw error;
    }
    if (window > forgotten) await forget({ window });
    forgotten = window;
  }

  /** Counts what all processes have stored for a caller. */
  function adopt(stored: { caller: string; window: number; used: number }, window: number): void {
    const use = uses.peek(stored.caller);
    if (stored.window > window) ahead = Math.max(ahead, stored.window * 1000 - clock());
    // A process that is ahead may have deleted what was stored.
    else if (use?.window === window) use.used = Math.max(use.used, stored.used + use.unstored);
  }

  /** The start of the current window, in seconds since the epoch: windows may differ in length. */
  function windowOf(): number {
    return Math.floor(now() / seconds) * seconds;
  }

  function secondsLeft(): number {
    return Math.ceil(windowOf() + seconds - now());
  }

  /** In seconds since the epoch. */
  function now(): number {
    return (clock() + ahead) / 1000;
  }

  function rateLimited(units: number, whole: number, left: number): ServiceError {
    const wait = secondsLeft();
    const message =
      whole > quota
        ? `The request costs ${whole} units, and ${quota} is the maximum in ${seconds} s; request less at once.`
        : left <= 0
          ? `You have used all ${quota} units for these ${seconds} s; try again in ${wait} s.`
          : `The request costs ${units} more units, and you have ${left} of ${quota} left; try again in ${wait} s.`;
    // Waiting doesn't help a request that costs more than the whole quota.
    return new ServiceError('RATE_LIMITED', message, whole > quota ? {} : { headers: { 'retry-after': `${wait}` } });
  }
}
