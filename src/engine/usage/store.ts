import { sql } from 'drizzle-orm';
import type { Database } from '../db/client.ts';
import { type Decoder, integer } from '../db/row.ts';
import type { Annotated } from '../lifecycle/annotated.ts';
import { addDays, toDay } from '../lifecycle/annotation.ts';
import { OWN_PAGES } from '../lifecycle/client.ts';
import type { Clock } from '../lifecycle/guard.ts';
import { lifecycleReport, type ReportEntry, type RestView, type Usage, windowOpens } from '../lifecycle/report.ts';
import { OTHERS, Tally, type UseCount } from '../lifecycle/tally.ts';
import { lifecycleCounting, lifecycleUses } from './table.ts';

/** How long counts wait until they are stored together, in milliseconds: what a kill may lose. */
const FLUSH_AFTER = 2_000;
/** How many client names are kept for an element and a day; further clients are counted together. */
const MAX_CLIENTS = 500;
/** How many clients of a marked thing are told by name. */
export const MAX_LISTED = 100;
const KEPT_DAYS = 365;

const text: Decoder<string> = { decode: String };
const rows = (columns: string) =>
  sql`json_to_recordset(${sql.placeholder('rows')}::text::json) as counted(${sql.raw(columns)})`;

interface LifecycleStoreOptions {
  readonly annotated: readonly Annotated[];
  readonly rest: RestView;
  readonly clock: Clock;
  /** Whether nothing is to be counted. */
  readonly isRehearsal: boolean;
  /** Told when counts could not be stored; they are kept, and stored with the next. */
  readonly onFailure: (error: unknown) => void;
}

export type LifecycleStore = ReturnType<typeof lifecycleStore>;

/** The marks of the schema, and who uses what bears them. */
export function lifecycleStore(
  database: Database,
  { annotated, rest, clock, isRehearsal, onFailure }: LifecycleStoreOptions,
) {
  const tally = new Tally(clock);
  let timer: NodeJS.Timeout | undefined;
  let storing = Promise.resolve();
  let reporting: Promise<readonly ReportEntry[]> | undefined;

  // Rows are written in one order, so that processes that store at once wait for each other and never in a circle.
  const add = database.statement(
    'lifecycle.addUses',
    'write',
    sql`insert into ${lifecycleUses} as stored (coordinate, day, client, uses, last_seen)
      select coordinate, day, name, sum(uses), max(last_seen)
      from (
        select *, case
          when is_known or row_number() over (partition by coordinate, day, is_known order by client)
            + (select count(*) from ${lifecycleUses} as known
              where known.coordinate = counted.coordinate and known.day = counted.day) <= ${sql.raw(String(MAX_CLIENTS))}
          then client
          else ${sql.raw(`'${OTHERS}'`)} end as name
        from ${rows('coordinate text, day date, client text, uses bigint, last_seen timestamptz')},
          lateral (select exists (select from ${lifecycleUses} as known
            where known.coordinate = counted.coordinate and known.day = counted.day and known.client = counted.client)
          as is_known) as looked
      ) as named
      group by coordinate, day, name order by coordinate, day, name
      on conflict (coordinate, day, client) do update
        set uses = stored.uses + excluded.uses, last_seen = greatest(stored.last_seen, excluded.last_seen)`,
    {},
  );
  const begin = database.statement(
    'lifecycle.begin',
    'write',
    sql`with old as (delete from ${lifecycleUses} where day < ${sql.placeholder('oldest')}::date)
      insert into ${lifecycleCounting} (coordinate, since)
      select coordinate, ${sql.placeholder('now')}::timestamptz from ${rows('coordinate text')} on conflict do nothing`,
    {},
  );
  const counting = database.statement(
    'lifecycle.counting',
    'list',
    sql`select coordinate, since from ${lifecycleCounting}`,
    {
      coordinate: lifecycleCounting.coordinate,
      since: lifecycleCounting.since,
    },
  );
  const byDay = database.statement(
    'lifecycle.byDay',
    'count',
    sql`select coordinate, day::text, sum(uses) from ${lifecycleUses}
      where day between ${sql.placeholder('opens')}::date and ${sql.placeholder('today')}::date group by coordinate, day order by day`,
    { coordinate: lifecycleUses.coordinate, day: text, uses: integer },
  );
  const byClient = database.statement(
    'lifecycle.byClient',
    'count',
    sql`select * from (
        select coordinate, client, sum(uses), max(last_seen) as seen, count(*) over (partition by coordinate),
          max(max(last_seen)) over (partition by coordinate) as last_used,
          row_number() over (partition by coordinate order by sum(uses) desc, client) as place
        from ${lifecycleUses} where day between ${sql.placeholder('opens')}::date and ${sql.placeholder('today')}::date
        group by coordinate, client
      ) as clients where place <= ${sql.raw(String(MAX_LISTED))} order by coordinate, place`,
    {
      coordinate: lifecycleUses.coordinate,
      client: lifecycleUses.client,
      uses: integer,
      lastSeen: lifecycleUses.lastSeen,
      clients: integer,
      lastUsed: lifecycleUses.lastSeen,
    },
  );

  return {
    /** Notes since when each mark is counted, and forgets counts of over a year ago. Once, at the start. */
    async begin(): Promise<void> {
      if (isRehearsal) return;
      const now = clock();
      const oldest = addDays(toDay(now), -KEPT_DAYS);
      await begin({ rows: JSON.stringify(annotated.map(({ coordinate }) => ({ coordinate }))), now, oldest });
    },

    /** Counts a use, unless a page of this service tries something out; it is stored within a few seconds. */
    count({ coordinate }: Annotated, client: string): void {
      if (isRehearsal || OWN_PAGES.has(client)) return;
      tally.add(coordinate, client);
      timer ??= setTimeout(flush, FLUSH_AFTER).unref();
    },

    /** Stores what has been counted and not yet stored. */
    flush,

    /** Every mark, and what was counted in the last 30 days; one that is asked for meanwhile is the same. */
    report(): Promise<readonly ReportEntry[]> {
      reporting ??= report().finally(() => {
        reporting = undefined;
      });
      return reporting;
    },
  };

  async function report(): Promise<ReportEntry[]> {
    const now = clock();
    const window = { opens: windowOpens(now), today: toDay(now) };
    const [since, days, clients] = await Promise.all([counting(), byDay(window), byClient(window)]);
    const usage = new Map<string, Usage>();
    for (const { coordinate } of annotated) {
      const ofAnnotation = <T extends { coordinate: string }>(all: readonly T[]) =>
        all.filter((row) => row.coordinate === coordinate);
      usage.set(coordinate, {
        countedSince: ofAnnotation(since)[0]?.since,
        byDay: new Map(ofAnnotation(days).map(({ day, uses }) => [day, uses])),
        clientCount: ofAnnotation(clients)[0]?.clients ?? 0,
        lastUsed: ofAnnotation(clients)[0]?.lastUsed,
        clients: ofAnnotation(clients),
      });
    }
    return lifecycleReport(annotated, rest, usage, { now, isRehearsal });
  }

  /** One after another, so that awaiting the last awaits them all. */
  function flush(): Promise<void> {
    storing = storing.then(store);
    return storing;
  }

  async function store(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const counts = tally.take();
    if (counts.length === 0) return;
    try {
      await add({ rows: JSON.stringify(counts.map(toRow)) });
    } catch (error) {
      tally.restore(counts);
      timer ??= setTimeout(flush, FLUSH_AFTER).unref();
      onFailure(error);
    }
  }
}

function toRow({ lastSeen, ...count }: UseCount): object {
  return { ...count, last_seen: lastSeen };
}
