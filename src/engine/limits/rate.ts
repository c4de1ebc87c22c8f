import { sql } from 'drizzle-orm';
import { LRUCache } from 'lru-cache';
import type { Database } from '../db/client.ts';
import { integer } from '../db/row.ts';
import { ServiceError } from '../errors.ts';
import { rateLimits } from './table.ts';

/** How much a caller may use, and in how many seconds. */
export interface Quota {
  readonly units: number;
  readonly seconds: number;
}

/** Counts what callers use. */
export interface RateLimiter {
  /** Takes the time of a database that others share; once, before the first charge. */
  begin(): Promise<void>;
  /** @throws {ServiceError} RATE_LIMITED when the caller has not so much left */
  charge(caller: string, units: number): void;
  /** The fields that tell how the caller stands (draft-ietf-httpapi-ratelimit-headers). */
  headersFor(caller: string): readonly string[];
  /** Stores what has been counted and not yet stored. */
  flush(): Promise<void>;
}

/** How long counts wait until they are stored together, in milliseconds: so long processes may not know of each other's. */
const SHARED_AFTER = 1_000;
/** How many callers are counted at once; who came longest ago is forgotten first. */
const MAX_CALLERS = 10_000;

interface Use {
  /** By all processes, as far as it is known here. */
  used: number;
  /** The part of it that is not stored yet. */
  unstored: number;
  window: number;
}

/**
 * The time in milliseconds since the epoch, as the wall clock had it when the process began, and evenly since then: by the wall
 * clock itself a jump would give everyone a new quota.
 */
export function steadyTime(): number {
  return performance.timeOrigin + performance.now();
}

/**
 * Counts in windows of the quota's length, which begin at the same time everywhere. Each process counts for itself, and
 * adds its counts to those of the others once a second: so no request asks the database.
 *
 * Processes go by the time that the database had when each of them began: they share that, whatever has become of their own clocks.
 * Should it have jumped between two of those times, one finds a later window in the database than its own, and goes on in that
 * one: so all follow the process that is furthest ahead, within a window, and begin a new one once for that.
 *
 * @param clock the time in milliseconds since the epoch; it must not jump
 * @param onFailure told when counts could not be stored, which are kept and stored with the next, or old ones not be forgotten
 */
export function createRateLimiter(
  { units: quota, seconds }: Quota,
  database: Database,
  clock: () => number,
  onFailure: (error: unknown) => void,
): RateLimiter {
  const unstored = new Set<string>();
  // A forgotten caller's counts are dropped too: otherwise invented callers would fill the memory.
  const uses = new LRUCache<string, Use>({ max: MAX_CALLERS, dispose: (_, caller) => unstored.delete(caller) });
  let timer: NodeJS.Timeout | undefined;
  let storing = Promise.resolve();
  let forgotten = 0;
  /** By how much the time that all share is ahead of the clock, in milliseconds. */
  let ahead = 0;
  // The embedded database is this process's alone.
  const isShared = database.kind === 'server';
  const policy = ['ratelimit-policy', `"default";q=${quota};w=${seconds}`];

  // In one order, so that processes that store at once wait for each other and never in a circle.
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
    {
      now: integer,
    },
  );
  const forget = database.statement(
    'limits.forget',
    'write',
    sql`delete from ${rateLimits} where "window" < ${sql.placeholder('window')}`,
    {},
  );

  return {
    async begin() {
      if (!isShared) return;
      const [shared] = await time();
      if (shared !== undefined) ahead = shared.now - clock();
    },

    charge(caller, units) {
      const use = useOf(caller);
      if (use.used + units > quota) throw tooMuch(units, quota - use.used);
      use.used += units;
      use.unstored += units;
      if (!isShared) return;
      unstored.add(caller);
      timer ??= setTimeout(flush, SHARED_AFTER).unref();
    },

    headersFor(caller) {
      const left = Math.max(0, quota - useOf(caller).used);
      return [...policy, 'ratelimit', `"default";r=${left};t=${secondsLeft()}`];
    },

    flush,
  };

  function useOf(caller: string): Use {
    const window = windowOf();
    const known = uses.get(caller);
    if (known !== undefined && known.window === window) return known;
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
    const counted = [...unstored].flatMap((caller) => {
      const use = uses.peek(caller);
      return use !== undefined && use.window === window && use.unstored > 0 ? [{ caller, use }] : [];
    });
    unstored.clear();
    if (counted.length === 0) return;
    const told = counted.map(({ caller, use }) => ({ caller, window, used: use.unstored }));
    for (const { use } of counted) use.unstored = 0;
    try {
      for (const { caller, window: stored, used } of await add({ uses: JSON.stringify(told) })) {
        const use = uses.peek(caller);
        if (stored > window) ahead = Math.max(ahead, stored * 1000 - clock());
        // One who is ahead may have forgotten what was stored.
        else if (use !== undefined && use.window === window) use.used = Math.max(use.used, used + use.unstored);
      }
    } catch (error) {
      for (const [index, { caller, use }] of counted.entries()) {
        use.unstored += told[index]?.used ?? 0;
        unstored.add(caller);
      }
      throw error;
    }
    if (window > forgotten) await forget({ window });
    forgotten = window;
  }

  /** When the window of the moment began, in seconds since the epoch: what one of another length can be compared with. */
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

  function tooMuch(units: number, left: number): ServiceError {
    const wait = secondsLeft();
    // Beyond the one unit of each request, which was charged as it came in.
    const whole = units === 1 ? 1 : units + 1;
    const message =
      whole > quota
        ? `The request costs ${whole} units, and ${quota} is the maximum in ${seconds} s; request less at once.`
        : left <= 0
          ? `You have used all ${quota} units for these ${seconds} s; try again in ${wait} s.`
          : `The request costs ${units} more units, and you have ${left} of ${quota} left; try again in ${wait} s.`;
    // What is too much of itself is so at any time.
    return new ServiceError('RATE_LIMITED', message, whole > quota ? {} : { headers: { 'retry-after': `${wait}` } });
  }
}
