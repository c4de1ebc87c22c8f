/** How many more rows of the outbox are read to find out whether a statement goes on beyond those that are published. */
const LOOK_AHEAD = 9_000;
/** How many changes of a statement are published together, however few are wanted. */
const MAX_TOGETHER = 10_000;

/**
 * The body of the function that moves about `most` changes from the outbox into the feed. `moved` is their number, null
 * if another process publishes at the moment; `more` whether some may be left; `lag` the age of the oldest, in seconds.
 *
 * A position is assigned when a change is published, not when it is written: a transaction may commit long after a
 * later one, and its events would appear behind readers that have passed. The lock on the feed's row lets one process
 * at a time publish, so positions have no gaps. The statements after it have a newer snapshot than the lock, so they
 * see what the last process that had the lock has published.
 *
 * The outbox is read only by its index, in its order, and only beyond the changes that are finished: none of them is
 * left, and none can still appear. Otherwise a publication would read all rows that are published and not vacuumed yet,
 * which are many while a long transaction that changes nothing, such as a backup, keeps them from it.
 *
 * What is finished is known after three publications: a change draws its number when its transaction has an id. So those
 * that may have drawn a number up to the last change of a publication (`ending`) have smaller ids than the next one
 * (`ended_at`), and have all ended when none of the running ones is smaller. A restored database may count its ids anew.
 *
 * The changes of a statement are published together, in the order of their ranks, where its last change is: whatever
 * depends on the statement was written after that one. A connection may run several statements at the same time of the
 * embedded database, whose clock has milliseconds; they differ in their transaction or savepoint. A statement that goes
 * on beyond those changes waits for the next call. If all do, 10,000 changes are read; a statement that is longer still
 * is published in parts.
 */
export const PUBLISH_BODY = `
declare
  state feed;
  first bigint;
  upto bigint;
  part record;
  total bigint;
  oldest timestamptz;
  running bigint;
  own bigint;
begin
  perform set_config('enable_seqscan', 'off', true);
  perform set_config('enable_bitmapscan', 'off', true);
  if not exists (select from outbox where seq > (select finished from feed) order by seq limit 1)
    then moved := 0; return;
  end if;
  select * into state from feed for update skip locked;
  if not found then return; end if;
  own := pg_current_xact_id()::text::bigint;
  running := pg_snapshot_xmin(pg_current_snapshot())::text::bigint;
  for attempt in 1..3 loop
    total := 0;
    more := false;
    for part in select seq, size, time from outbox where seq > state.finished order by seq loop
      first := coalesce(first, part.seq);
      upto := part.seq;
      oldest := least(oldest, part.time);
      total := total + part.size;
      more := total >= case attempt when 1 then most else greatest(most, ${MAX_TOGETHER}) end;
      exit when more;
    end loop;
    with unfinished as (
      select writer, time from outbox where attempt < 3 and seq > upto and seq <= upto + ${LOOK_AHEAD}),
    published as (
      delete from outbox where seq > state.finished and seq <= upto and (writer, time) not in (select writer, time from unfinished)
      returning *, xmin::text as transaction),
    ranked as (select *, max(seq) over (partition by transaction, writer, time) as ended from published),
    placed as (
      select time, state.last + sum(size) over (order by ended, rank, seq) - size as start,
        coalesce(types, array[type]) as types, coalesce(subjects, array[subject]) as subjects,
        coalesce(images, array[data]) as images, coalesce(correlations, array[correlation]) as correlations
      from ranked)
    insert into events (position, time, type, subject, data, correlation)
      select start + generate_subscripts(types, 1), time, unnest(types), unnest(subjects), unnest(images),
        unnest(correlations)
      from placed;
    get diagnostics moved = row_count;
    exit when moved > 0;
  end loop;
  if state.ending is null or state.ended_at > own then
    state.ending := upto;
    state.ended_at := null;
  elsif state.ended_at is null then
    state.ended_at := own;
  elsif state.ended_at <= running then
    state.finished := least(state.ending, first - 1);
    state.ending := null;
  end if;
  update feed set last = state.last + moved, finished = state.finished, ending = state.ending, ended_at = state.ended_at;
  lag := extract(epoch from clock_timestamp() - oldest);
end`;
