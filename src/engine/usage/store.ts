import { getTableColumns, sql } from 'drizzle-orm';
import type { Database } from '../db/client.ts';
import { ServiceError } from '../errors.ts';
import type { Annotated } from '../lifecycle/annotated.ts';
import { addDays, toDay } from '../lifecycle/annotation.ts';
import { OWN_PAGES } from '../lifecycle/client.ts';
import type { Clock } from '../lifecycle/enforcement.ts';
import { lifecycleReport, type ReportEntry, type RestNames, type Usage, windowOpens } from '../lifecycle/report.ts';
import { OTHERS, Tally } from '../lifecycle/tally.ts';
import { sharedCall } from '../shared-call.ts';
import { lifecycleCounting, lifecycleUses } from './table.ts';

/** In milliseconds. If the process is killed, the counts of this time are lost. */
const FLUSH_AFTER = 2_000;
/** The maximum number of client names for an element and a day; further clients are counted together. */
const MAX_CLIENTS = 500;
export const MAX_LISTED = 100;
const KEPT_DAYS = 365;

interface LifecycleStoreOptions {
  readonly annotated: readonly Annotated[];
  readonly rest: RestNames;
  readonly clock: Clock;
  readonly isRehearsal: boolean;
  /** Called if counts could not be stored yet; they are stored with the next. */
  readonly onFailure: (error: unknown) => void;
}

export type LifecycleStore = ReturnType<typeof lifecycleStore>;

export function lifecycleStore(
  database: Database,
  { annotated, rest, clock, isRehearsal, onFailure }: LifecycleStoreOptions,
) {
  const tally = new Tally(clock);
  /** When counting began. */
  let startedAt: Date | undefined;
  /** The day on which that was stored and old counts were deleted. */
  let begunOn: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  let storing = Promise.resolve();

  // All processes write rows in the same order, so that they cannot deadlock.
  const add = database.statement(
    'lifecycle.addUses',
    'write',
    sql`with counted as materialized (
        select * from json_to_recordset(${sql.placeholder('counts')}::text::json)
          as counted(coordinate text, day date, client text, uses bigint, "lastSeen" timestamptz)),
      stored_names as (
        select coordinate, day, count(*) as names from ${lifecycleUses}
        where day = any(array(select day from counted)) group by coordinate, day)
      insert into ${lifecycleUses} as stored (coordinate, day, client, uses, last_seen)
      select coordinate, day, name, sum(uses), max("lastSeen")
      from (
        select coordinate, day, counted.uses, "lastSeen", case
          when known.uses is not null or coalesce(names, 0)
            + row_number() over (partition by coordinate, day, known.uses is null order by client) <= ${MAX_CLIENTS}
          then client
          else ${OTHERS} end as name
        from counted left join ${lifecycleUses} as known using (coordinate, day, client)
          left join stored_names using (coordinate, day)
      ) as named
      group by coordinate, day, name order by coordinate, day, name
      on conflict (coordinate, day, client) do update
        set uses = stored.uses + excluded.uses, last_seen = greatest(stored.last_seen, excluded.last_seen)`,
    {},
  );
  const begin = database.statement(
    'lifecycle.begin',
    'write',
    sql`with old as (delete from ${lifecycleUses} where day < ${sql.placeholder('oldest')}::date),
        uncounted as (delete from ${lifecycleCounting} where coordinate <> all(${sql.placeholder('coordinates')}::text[]))
      insert into ${lifecycleCounting} (coordinate, since)
      select unnest(${sql.placeholder('coordinates')}::text[]), ${sql.placeholder('now')}::timestamptz
      on conflict do nothing`,
    {},
  );
  const counting = database.statement(
    'lifecycle.counting',
    'list',
    sql`select coordinate, since from ${lifecycleCounting}`,
    getTableColumns(lifecycleCounting),
  );
  // One statement, so that its days and its clients are of one instant. A row is of a day or of a client.
  const uses = database.statement(
    'lifecycle.uses',
    'count',
    sql`select * from (
        select coordinate, day::text, client, sum(uses), max(last_seen), count(client) over (partition by coordinate),
          row_number() over (partition by coordinate, day is null order by day, sum(uses) desc, client collate "C") as rank
        from ${lifecycleUses} where day between ${sql.placeholder('opens')}::date and ${sql.placeholder('today')}::date
        group by coordinate, grouping sets ((day), (client))
      ) as uses where rank <= ${MAX_LISTED} order by coordinate, rank`,
    {
      coordinate: lifecycleUses.coordinate,
      day: (value): string | null => String(value),
      client: (value): string | null => String(value),
      uses: Number,
      lastSeen: lifecycleUses.lastSeen,
      clients: Number,
    },
  );

  return {
    /** Stores when counting began and deletes old counts, now and each day. If the database is read-only, it is tried again. */
    async begin(): Promise<void> {
      if (isRehearsal) return;
      startedAt = clock();
      try {
        await beginDay();
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        timer ??= setTimeout(flush, FLUSH_AFTER).unref();
        onFailure(error);
      }
    },

    /** Counts a use, except by the service's own pages. It is stored within a few seconds. */
    count({ coordinate }: Annotated, client: string): void {
      if (isRehearsal || OWN_PAGES.has(client)) return;
      tally.add(coordinate, client);
      timer ??= setTimeout(flush, FLUSH_AFTER).unref();
    },

    flush,

    /** Every annotated element with its counts of the last 30 days; concurrent requests share one report. */
    report: sharedCall(report),
  };

  async function report(): Promise<ReportEntry[]> {
    const now = clock();
    const window = { opens: windowOpens(now), today: toDay(now) };
    const [since, counts] = await Promise.all([counting(), uses(window)]);
    const usage = new Map<string, Usage>();
    for (const { coordinate } of annotated) {
      const ofElement = counts.filter((row) => row.coordinate === coordinate);
      const days = ofElement.flatMap(({ day, ...row }) => (day === null ? [] : [{ ...row, day }]));
      usage.set(coordinate, {
        countedSince: since.find((row) => row.coordinate === coordinate)?.since,
        byDay: new Map(days.map((row) => [row.day, row.uses])),
        clientCount: days[0]?.clients ?? 0,
        lastUsed: days.at(-1)?.lastSeen,
        clients: ofElement.flatMap(({ client, ...row }) => (client === null ? [] : [{ ...row, client }])),
      });
    }
    return lifecycleReport(annotated, rest, usage, { now, isRehearsal });
  }

  /** One after another, so that the last promise waits for all. */
  function flush(): Promise<void> {
    storing = storing.then(store);
    return storing;
  }

  async function beginDay(): Promise<void> {
    const today = toDay(clock());
    if (startedAt === undefined || begunOn === today) return;
    const coordinates = annotated.map(({ coordinate }) => coordinate);
    await begin({ coordinates, now: startedAt, oldest: addDays(today, -KEPT_DAYS) });
    begunOn = today;
  }

  async function store(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const counts = tally.take();
    try {
      await beginDay();
      if (counts.length === 0) return;
      await add({ counts: JSON.stringify(counts) });
    } catch (error) {
      tally.restore(counts);
      timer ??= setTimeout(flush, FLUSH_AFTER).unref();
      onFailure(error);
    }
  }
}
