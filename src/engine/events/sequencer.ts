import { sql } from 'drizzle-orm';
import type { Database } from '../db/client.ts';
import { createRounds } from '../rounds.ts';

/** About how many events are published at once. */
const MAX_AT_ONCE = 5_000;
/** The least time between two publications, in milliseconds: what is committed meanwhile is published together. */
const PAUSE = 100;
/** How often the changes of others are looked for, in milliseconds. */
const INTERVAL = 1_000;
/** How long the feed may be locked without a publication, in milliseconds, before that is a failure. */
const LOCKED_TOO_LONG = 5_000;
/** How often events beyond the retention are deleted, in milliseconds, and how many at once. */
const DELETION_INTERVAL = 60_000;
const DELETED_AT_ONCE = 5_000;

interface SequencerOptions {
  /** How long events are kept, in seconds. */
  readonly retention: number;
  /** After each attempt: the number of published events, and how far readers were behind, in seconds. */
  readonly onPublished: (count: number, lag: number) => void;
  readonly onFailure: (error: unknown) => void;
  readonly onDeletionFailure: (error: unknown) => void;
}

/** Publishes events: assigns positions in the feed to the committed changes. Any number of processes take turns. */
export function createSequencer(
  database: Database,
  { retention, onPublished, onFailure, onDeletionFailure }: SequencerOptions,
) {
  // A repeated call publishes what is left, so it may run again after a lost connection, as a read may.
  const publish = database.statement(
    'events.publish',
    'list',
    sql`select coalesce(moved, 0), more, lag, moved is null, (select last from feed)
      from publish_changes(${sql.placeholder('most')}::integer)`,
    { moved: Number, more: Boolean, lag: Number, isBusy: Boolean, last: Number },
  );
  // The events of a long transaction have earlier times than those before them, which must not be deleted with them.
  // Times in the future, of a clock that was ahead, must not keep the events after them.
  const deleteOld = database.statement(
    'events.deleteOld',
    'write',
    sql`with oldest as (
        select position, max(time) filter (where time <= now()) over (order by position) as latest
        from (select position, time from events where position >= ${sql.placeholder('head')}::bigint
          order by position limit ${DELETED_AT_ONCE}) as oldest),
      old as (
        delete from events where position in (
          select position from oldest where latest < now() - make_interval(secs => ${sql.placeholder('retention')}::integer))
        returning position)
      update feed set deleted = greatest(deleted, (select max(position) from old)) where exists (select from old)
      returning (select count(*) from old), (select min(position) from oldest)`,
    { count: Number, head: Number },
  );
  const rounds = createRounds(attempt, PAUSE);
  const deletions = createRounds(() => deleteSome().catch(onDeletionFailure));
  /** Where the next deletion begins: before the first event there is none, but many rows that are not vacuumed yet. */
  let head = 0;
  let lastSuccess = performance.now();
  /** The end of the feed, which also moves when another process publishes. */
  let end: number | undefined;

  return {
    begin(): void {
      deletions.repeat(DELETION_INTERVAL);
      rounds.repeat(INTERVAL);
      rounds.wake();
    },

    wake: rounds.wake,

    async end(): Promise<void> {
      await Promise.all([deletions.end(), rounds.end().then(attempt)]);
    },
  };

  async function attempt(): Promise<void> {
    try {
      for (let isMore = true; isMore; ) isMore = await publishSome();
    } catch (error) {
      onPublished(0, (performance.now() - lastSuccess) / 1_000);
      onFailure(error);
    }
  }

  async function publishSome(): Promise<boolean> {
    const [row] = await publish({ most: MAX_AT_ONCE });
    const { moved, more, lag, isBusy, last } = row as NonNullable<typeof row>;
    const now = performance.now();
    if (!isBusy || last !== end) lastSuccess = now;
    end = last;
    if (now - lastSuccess > LOCKED_TOO_LONG)
      throw new Error('Another transaction has locked the row of the table feed.');
    onPublished(moved, moved > 0 ? lag : 0);
    // Another process publishes at the moment, and may not have seen what was committed last.
    if (isBusy) rounds.wake();
    return more;
  }

  async function deleteSome(): Promise<void> {
    const [row] = await deleteOld({ retention, head });
    const isMore = row?.count === DELETED_AT_ONCE;
    head = isMore ? row.head : 0;
    if (isMore) deletions.wake();
  }
}
