import { sql } from 'drizzle-orm';
import type { Database } from '../db/client.ts';
import { events } from '../events/table.ts';
import type { Int64 } from '../int64.ts';
import { stringifyJson } from '../json.ts';
import { type Delivery, deliveries, webhooks } from './table.ts';

/** How long a process owns a webhook after it last acquired it, in seconds; longer than an attempt takes. */
const OWNED_FOR = 15;
/** The maximum time of an attempt, in seconds: none starts if the webhook may be another's by its end. */
const MAX_ATTEMPT = 11;
/** How many events are looked at at once, for all webhooks together: the embedded database does nothing else meanwhile. */
const AT_ONCE = 500;

/** Identifies a webhook and a subject: at most one request of them is in progress. */
export function subjectKey({ webhookId, subject }: Pick<Delivery, 'webhookId' | 'subject'>): string {
  return `${webhookId} ${subject}`;
}

export interface DeliveryResult {
  readonly id: Int64;
  readonly status: Delivery['status'];
  /** How many there have been, with this one: it may be stored twice, if the connection is lost. */
  readonly attempts: number;
  /** When it was made; null if there was none, because the event is no longer kept. */
  readonly at: Date | null;
  /** When the next one is due; null for none. */
  readonly due: Date | null;
  readonly response: number | null;
  readonly error: string | null;
}

/**
 * One process at a time owns a webhook, and only that one adds, finds and settles its deliveries, one statement after
 * another. So those of a subject are made one after another: the first has a time when it is due, and each other one
 * gets its time when the one before has ended. For the minimum of a column, PostgreSQL reads one row of an index; for
 * `exists`, it may read the whole table.
 */
export function deliveryQueue(database: Database, processId: string) {
  const { id, webhookId, epoch, position, type, subject, attempts } = deliveries;
  const { time, correlation } = events;
  const [ids, now] = [sql.placeholder('ids'), sql.placeholder('now')];
  const isOwned = sql`owner = ${processId}`;
  const isActive = sql`enabled and (paused_until is null or paused_until <= ${now})`;

  const hasEnabled = database.statement(
    'delivery.hasEnabled',
    'lookup',
    sql`select exists (select from ${webhooks} where enabled)`,
    {
      isAny: Boolean,
    },
  );
  const acquire = database.statement(
    'delivery.acquire',
    'write',
    sql`update ${webhooks} set ${isOwned}, owned_until = now() + make_interval(secs => ${OWNED_FOR})
      where id in (
        select id from ${webhooks}
        where ${isActive} and (owner is null or ${isOwned} or owned_until < now())
          and (position < (select last from feed) or (
            select min(due_at) from ${deliveries} where webhook_id = ${webhooks.id} and status = 'pending') <= ${now})
        order by id for update skip locked)
      returning id, url, created_by, secret, case when previous_until > ${now} then previous_secret end`,
    {
      id: webhooks.id,
      url: webhooks.url,
      createdBy: webhooks.createdBy,
      secret: webhooks.secret,
      previousSecret: webhooks.previousSecret,
    },
  );
  // If a client has redelivered meanwhile, the webhook has another position, and nothing is added. Materialized, because
  // PostgreSQL would otherwise look for the delivery of each event once for each webhook that has moved.
  const addDeliveries = database.statement(
    'delivery.add',
    'write',
    sql`with found as (
        select id as webhook_id, types, most, ${webhooks.position} as start, page.*
        from unnest(${ids}::bigint[], ${sql.placeholder('mosts')}::integer[]) as room(room_of, most)
        join ${webhooks} on id = room_of and ${isOwned}
        cross join lateral (
          select position, type, subject from ${events} where ${events.position} > ${webhooks.position}
          order by position limit most) as page),
      moved as (
        update ${webhooks} set position = ends.position
        from (select webhook_id, start, max(position) as position from found group by webhook_id, start) as ends
        where id = webhook_id and ${webhooks.position} = start returning webhook_id),
      passed as materialized (
        select found.* from found join moved using (webhook_id)
        where types is null or type = any(string_to_array(types, ' '))),
      wanted as (
        select * from passed where (
          select min(position) from ${deliveries}
          where webhook_id = passed.webhook_id and position = passed.position) is null),
      added as (
        insert into ${deliveries} (webhook_id, epoch, position, type, subject, due_at)
        select webhook_id, (select epoch from feed), position, type, subject, case
          when row_number() over (partition by webhook_id, subject order by position) = 1 and (
            select min(position) from ${deliveries} as earlier
            where earlier.webhook_id = wanted.webhook_id and earlier.subject = wanted.subject and status = 'pending')
            is null
          then ${now}::timestamptz end
        from wanted order by position)
      select count(*) from found group by webhook_id, most having count(*) = most`,
    { count: Number },
  );
  const readDue = database.statement(
    'delivery.due',
    'list',
    sql`select delivery.id, delivery.webhook_id, delivery.epoch, delivery.position, delivery.type, delivery.subject,
        delivery.attempts, ${events.time}, ${events.data}::text, ${events.correlation}
      from unnest(${ids}::bigint[], ${sql.placeholder('free')}::integer[]) as room(webhook_id, free)
      join ${webhooks} on ${webhooks.id} = room.webhook_id and ${isOwned} and ${isActive}
        and owned_until > now() + make_interval(secs => ${MAX_ATTEMPT})
      cross join lateral (
        select * from ${deliveries}
        where webhook_id = room.webhook_id and status = 'pending' and due_at <= ${now}
          and (type = any(${sql.placeholder('types')}::text[]) or position <= (select deleted from feed))
          and webhook_id || ' ' || subject <> all(${sql.placeholder('running')}::text[])
        order by due_at, position limit room.free) as delivery
      left join ${events} on ${events.position} = delivery.position`,
    { id, webhookId, epoch, position, type, subject, attempts, time, data: String, correlation },
  );
  // By an array of ids, and no index of pending ones: without statistics, PostgreSQL expects few of these and reads all.
  const storeResults = database.statement(
    'delivery.storeResults',
    'write',
    sql`with result as materialized (
        select * from json_to_recordset(${sql.placeholder('results')}::text::json)
          as result(id bigint, status text, attempts smallint, at timestamptz, due timestamptz, response smallint, error text)),
      settled as (
        update ${deliveries} set status = result.status, due_at = due, attempts = result.attempts,
          last_attempt_at = coalesce(at, ${now}), response_status = response, error = result.error
        from result
        where ${deliveries.id} = any(array(select id from result)) and ${deliveries.id} = result.id
          and ${deliveries.status} || '' = 'pending' and exists (select from ${webhooks} where id = webhook_id and ${isOwned})
        returning ${deliveries.id}, webhook_id, subject, ${deliveries.status})
      update ${deliveries} set due_at = ${now} where id in (
        select next.id from settled cross join lateral (
          select id from ${deliveries} as waiting
          where waiting.webhook_id = settled.webhook_id and waiting.subject = settled.subject
            and waiting.status = 'pending' and waiting.id <> settled.id
          order by position limit 1) as next
        where settled.status <> 'pending')`,
    {},
  );
  const disable = database.statement(
    'delivery.disable',
    'write',
    sql`update ${webhooks} set enabled = false, disabled_because = ${sql.placeholder('why')}, version = version + 1
      where id = ${sql.placeholder('id')} and url = ${sql.placeholder('url')} and enabled returning id`,
    { id: Number },
  );
  const until = sql`${sql.placeholder('until')}::timestamptz`;
  const pause = database.statement(
    'delivery.pause',
    'write',
    sql`update ${webhooks} set paused_until = ${until}, version = version + 1
      where id = ${sql.placeholder('id')} and url = ${sql.placeholder('url')}
        and (paused_until is null or paused_until < ${until})`,
    {},
  );
  const release = database.statement(
    'delivery.release',
    'write',
    sql`update ${webhooks} set owner = null, owned_until = null where ${isOwned} and id <> all(${ids}::bigint[])`,
    {},
  );

  return {
    hasEnabled: async () => (await hasEnabled())[0]?.isAny === true,
    /** Owns the enabled webhooks with something to do that no other process owns. */
    acquire: (now: Date) => acquire({ now }),
    /** Adds deliveries of the next events, for each webhook its share; true if there may be more. */
    async addDeliveries(ids: readonly Int64[], shares: readonly number[], now: Date): Promise<boolean> {
      return (await addDeliveries({ ids, now, mosts: shares.map((share) => Math.ceil(AT_ONCE * share)) })).length > 0;
    },
    /** Those that are due, the earliest first: `free` for each webhook, none of a `subjectKey` in `running`. */
    readDue: (wanted: {
      readonly ids: readonly Int64[];
      readonly free: readonly number[];
      readonly types: readonly string[];
      readonly running: readonly string[];
      readonly now: Date;
    }) => readDue(wanted),
    storeResults: (results: readonly DeliveryResult[], now: Date) =>
      storeResults({ results: stringifyJson(results), now }),
    /** Disables a webhook, unless it has another address by now or is disabled already; returns whether it did. */
    disable: async (id: Int64, url: string, why: string) => (await disable({ id, url, why })).length > 0,
    /** Pauses a webhook, unless it has another address by now. */
    pause: (id: Int64, url: string, until: Date) => pause({ id, url, until }),
    /** Lets other processes own what this one does, except for these. */
    release: (ids: readonly Int64[]) => release({ ids }),
  };
}
