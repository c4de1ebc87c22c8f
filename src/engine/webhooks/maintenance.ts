import { sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import type { Database } from '../db/client.ts';
import { events } from '../events/table.ts';
import { failureLog } from '../failure-log.ts';
import type { Int64 } from '../int64.ts';
import type { RequestMetrics } from '../metrics.ts';
import { createRounds } from '../rounds.ts';
import { largestOf } from './fairness.ts';
import { deliveries, webhooks } from './table.ts';

/** How often old deliveries are deleted, and pending ones counted, in milliseconds. */
const MAINTENANCE_INTERVAL = 15_000;
/** How often those are deleted that are too many, in milliseconds: for this, all that have ended are counted. */
const COUNT_INTERVAL = 300_000;
/** How many deliveries may be pending, of all webhooks together: about one a second for the three days of the retries. */
const MAX_PENDING = 300_000;
const TOO_MANY = `More than ${MAX_PENDING.toLocaleString('en')} deliveries were pending; the caller that created this webhook had the most.`;
/** For how many days deliveries are kept after they were made, or given up. */
const KEPT_DAYS = { delivered: 1, failed: 30 };
/** How many deliveries of a webhook are kept after they were made, and how many after they were given up. */
const MAX_KEPT = 20_000;
const DELETED_AT_ONCE = 5_000;

interface MaintenanceOptions {
  /** The time, in milliseconds since the epoch. */
  readonly clock: () => number;
  readonly metrics: Pick<RequestMetrics, 'delivery' | 'undelivered'>;
  readonly logger: Logger;
}

/** Deletes old deliveries, counts pending ones, and mends what a process that ended has left. */
export function createMaintenance(
  database: Database,
  processId: string,
  { clock, metrics, logger }: MaintenanceOptions,
) {
  const onFailure = failureLog(logger, 'old deliveries could not be deleted, or pending ones not counted');
  const { repair, backlogs, dropPending, deleteOld, deleteMany } = maintenanceStatements(database, processId);
  const rounds = createRounds(() => maintain().catch(onFailure));
  const counts = createRounds(() => deleteAll(deleteMany).catch(onFailure));
  let isEnding = false;

  return {
    begin(): void {
      rounds.repeat(MAINTENANCE_INTERVAL);
      counts.repeat(COUNT_INTERVAL);
    },

    async end(): Promise<void> {
      isEnding = true;
      await Promise.all([rounds.end(), counts.end()]);
    },
  };

  async function maintain(): Promise<void> {
    const now = new Date(clock());
    // Only one process uses the embedded database, which does nothing else meanwhile.
    if (database.kind === 'server') await repair(now);
    await deleteAll(() => deleteOld(now));
    const pending = await backlogs();
    metrics.undelivered(Math.max(0, ...pending.map(({ age }) => age ?? 0)));
    const largest = largestOf(pending);
    if (largest === undefined || pending.reduce((sum, { count }) => sum + count, 0) <= MAX_PENDING) return;
    if (!(await dropPending(largest.id, TOO_MANY))) return;
    metrics.delivery('disabled');
    logger.warn({ webhook: largest.id, why: TOO_MANY }, 'a webhook was disabled: too many deliveries are pending');
  }

  /** Deletes in batches, until there is no more or the process stops. */
  async function deleteAll(deleteSome: () => Promise<boolean>): Promise<void> {
    while (!isEnding && (await deleteSome()));
  }
}

export function maintenanceStatements(database: Database, processId: string) {
  const { position } = deliveries;
  const now = sql.placeholder('now');
  const isOwned = sql`owner = ${processId}`;

  // A process that lost the webhook while it settled may have left a subject without a delivery that is due: the new owner
  // saw the earlier delivery still pending. The target is checked again, because its delivery may have been made meanwhile.
  const repair = database.statement(
    'delivery.repair',
    'write',
    sql`update ${deliveries} set due_at = ${now}
      from (
        select distinct on (webhook_id, subject) id as first, due_at as due from ${deliveries}
        where webhook_id in (select id from ${webhooks} where enabled and (owner is null or ${isOwned} or owned_until < now()))
          and status = 'pending' order by webhook_id, subject, position) as firsts
      where id = first and due is null and due_at is null and status = 'pending'`,
    {},
  );
  const backlogs = database.statement(
    'delivery.backlogs',
    'list',
    sql`select pending.id, created_by, count, extract(epoch from now() - time) from (
        select webhook_id as id, created_by, count(*), min(${position}) filter (
          where enabled and ${position} > (select deleted from feed)) as oldest
        from ${deliveries} join ${webhooks} on ${webhooks.id} = webhook_id where status = 'pending'
        group by webhook_id, created_by) as pending
      left join ${events} on ${events.position} = oldest
      order by count desc`,
    { id: webhooks.id, createdBy: webhooks.createdBy, count: Number, age: Number },
  );
  // Only if no delivery is added meanwhile: the statement would not see it, and a later one of its subject could overtake.
  const dropPending = database.statement(
    'delivery.drop',
    'write',
    sql`with stopped as (
        update ${webhooks} set enabled = false, version = version + 1, position = first - 1,
          disabled_because = case when enabled then ${sql.placeholder('why')} else disabled_because end
        from (
          select webhook_id, min(${deliveries.position}) as first, max(${webhooks.position}) as start
          from ${deliveries} join ${webhooks} on ${webhooks.id} = webhook_id
          where webhook_id = ${sql.placeholder('id')} and status = 'pending' group by webhook_id) as pending
        where id = webhook_id and position = start returning id),
      dropped as (
        delete from ${deliveries} using stopped where webhook_id = stopped.id and status = 'pending')
      select id from stopped`,
    { id: webhooks.id },
  );
  const deleteOld = database.statement(
    'delivery.deleteOld',
    'write',
    sql`delete from ${deliveries} where id = any(array(
        select id from ${deliveries}
        where (status = 'delivered' and last_attempt_at < ${now}::timestamptz - make_interval(days => ${KEPT_DAYS.delivered}))
          or (status = 'failed' and last_attempt_at < ${now}::timestamptz - make_interval(days => ${KEPT_DAYS.failed}))
        limit ${DELETED_AT_ONCE}))
      returning id`,
    { id: deliveries.id },
  );
  // All that are kept are deleted together with a webhook, and when events are delivered again: that must not take long.
  const deleteMany = database.statement(
    'delivery.deleteMany',
    'write',
    sql`delete from ${deliveries} where id = any(array(
        select ended.id from ${webhooks} cross join (values ('delivered'), ('failed')) as kept(status)
        cross join lateral (
          select id from ${deliveries} where webhook_id = ${webhooks.id} and ${deliveries.status} = kept.status
          order by id desc offset ${MAX_KEPT} limit ${DELETED_AT_ONCE}) as ended
        limit ${DELETED_AT_ONCE}))
      returning id`,
    { id: deliveries.id },
  );

  return {
    /** Makes sure that the first delivery of each subject is due, for webhooks that no other process owns. */
    repair: (now: Date) => repair({ now }),

    /**
     * How many deliveries of each webhook are pending, the most first, and the age of the oldest event among them in
     * seconds; null if none is kept, or the webhook is disabled.
     */
    backlogs: () => backlogs({}),

    /**
     * Disables a webhook and drops its pending deliveries: enabled again, it begins with the first of their events. Returns
     * whether it did; not if it has none, or gets others meanwhile.
     */
    dropPending: async (id: Int64, why: string) => (await dropPending({ id, why })).length > 0,

    /** Deletes some deliveries that ended long ago; true if there may be more. */
    deleteOld: async (now: Date) => (await deleteOld({ now })).length === DELETED_AT_ONCE,

    /** Deletes some of what has ended, but not the newest deliveries of each webhook and status; true if there may be more. */
    deleteMany: async () => (await deleteMany({})).length === DELETED_AT_ONCE,
  };
}
