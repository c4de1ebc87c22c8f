import { sql } from 'drizzle-orm';
import type { Database } from '../db/client.ts';
import { columnsOf } from '../db/list.ts';
import { type Page, type PageWindow, pages } from '../db/paging.ts';
import { MAX_LOCK_WAIT } from '../db/pool-kinds.ts';
import { tableList } from '../db/table-list.ts';
import type { ExpectedVersion } from '../db/version.ts';
import { versionedStore } from '../db/versioned-store.ts';
import { overloaded } from '../db/violations.ts';
import { ServiceError, validationFailed } from '../errors.ts';
import { notRecorded, positionOf } from '../events/feed.ts';
import type { Int64 } from '../int64.ts';
import { KeyedQueue } from '../queue.ts';
import { newSecret } from './sign.ts';
import { type Delivery, deliveries, type Webhook, webhooks } from './table.ts';
import { type Reach, urlError } from './target.ts';

/** How many webhooks there may be: each change is looked at for each of them. */
const MAX_WEBHOOKS = 100;
/** How many of them one caller may have created. */
const MAX_OF_CALLER = 50;
/** For how long the secret before a rotation still signs, in milliseconds: receivers must know the new one by then. */
const OVERLAP = 24 * 3_600_000;

export const webhookList = tableList(webhooks);

export const deliveryList = tableList(deliveries, {
  filters: { webhookId: deliveries.webhookId, status: deliveries.status },
});

/** Null for a required field means no change. */
interface WebhookChanges {
  readonly url?: string | null | undefined;
  readonly types?: readonly string[] | null | undefined;
  readonly description?: string | null | undefined;
  readonly enabled?: boolean | null | undefined;
}

export interface WebhookFields extends WebhookChanges {
  readonly url: string;
}

/** A webhook with the secret that was made for it just now. */
export interface NewWebhook extends Webhook {
  readonly newSecret?: string;
}

export interface WebhookStoreOptions {
  readonly isOn: boolean;
  readonly reach: Reach;
  /** The time, in milliseconds since the epoch. */
  readonly clock: () => number;
}

export type WebhookStore = ReturnType<typeof webhookStore>;

export function webhookStore(database: Database, { isOn, reach, clock }: WebhookStoreOptions) {
  const stored = versionedStore(database, { table: webhooks, list: webhookList, one: 'webhook' });
  const listDeliveries = pages(database, deliveryList);
  // One after another: concurrent ones would each find room for one more. Those of other processes, and those under
  // idempotency keys, which run in transactions of their own, still may.
  const creations = new KeyedQueue({ milliseconds: MAX_LOCK_WAIT, error: overloaded });
  // Not read from the feed's store: with an idempotency key, all of it runs in one transaction.
  const state = database.statement(
    'webhooks.state',
    'count',
    sql`select epoch, deleted, last, count, own from feed, (
        select count(*), count(*) filter (where created_by = ${sql.placeholder('caller')}) as own from ${webhooks}) as known`,
    { epoch: Number, deleted: Number, last: Number, count: Number, own: Number },
  );
  const rotate = database.statement(
    'webhooks.rotate',
    'write',
    sql`update ${webhooks} set previous_secret = secret, previous_until = ${sql.placeholder('until')}::timestamptz,
        secret = ${sql.placeholder('secret')}, version = version + 1
      where id = ${sql.placeholder('id')}
      returning ${columnsOf(webhookList)}`,
    webhookList.columns,
  );
  // The delivery of an event that is sent again starts from the first attempt. The statement does not see deliveries
  // that are added while it waits for the webhook: then the webhook has another position, and nothing is done.
  const rewind = database.statement(
    'webhooks.rewind',
    'write',
    sql`with rewound as (
        update ${webhooks} set position = least(position, ${sql.placeholder('position')}::bigint)
        where id = ${sql.placeholder('id')} and position = ${sql.placeholder('start')}::bigint returning id),
      ended as (
        delete from ${deliveries} using rewound
        where webhook_id = rewound.id and position > ${sql.placeholder('position')}::bigint)
      select id from rewound`,
    { id: webhooks.id },
  );

  return {
    byId: stored.byId,
    list: stored.list,

    /** A page of the deliveries of a webhook. Rejects with NOT_FOUND when no webhook has the id. */
    async listDeliveries(
      webhookId: Int64,
      status: readonly string[] | null | undefined,
      sort: 'id' | 'id_desc',
      window: PageWindow,
    ): Promise<Page<Delivery>> {
      const list = database.bind(listDeliveries);
      await stored.get(webhookId);
      return list({ webhookId: [webhookId], status }, sort, window);
    },

    /** Creates a webhook of this account for the events from now on. */
    async create({ url, ...fields }: WebhookFields, createdBy: string | null): Promise<NewWebhook> {
      const columns = { ...toColumns(fields), url: hrefOf(url), createdBy };
      const [read, store] = [database.bind(readState), database.bind(stored.create)];
      return creations.run('', async () => {
        const { last, count, own } = await read(createdBy);
        if (count >= MAX_WEBHOOKS) throw tooMany(`There can be ${MAX_WEBHOOKS} webhooks`);
        if (own >= MAX_OF_CALLER)
          throw tooMany(`You have created ${MAX_OF_CALLER} webhooks, as many as a caller can have`);
        const secret = newSecret();
        const row = await store({ ...columns, secret, position: last, createdAt: new Date(clock()) });
        return { ...row, newSecret: secret };
      });
    },

    /** Rejects as the update of any row does. A webhook that is enabled goes on with the first event that it missed. */
    update(id: Int64, changes: WebhookChanges, expected: ExpectedVersion): Promise<Webhook> {
      return stored.update(id, toColumns(changes), expected);
    },

    delete: stored.delete,

    /** Makes a new secret. The one before still signs too for a day. */
    async rotateSecret(id: Int64): Promise<NewWebhook> {
      const secret = newSecret();
      const until = new Date(clock() + OVERLAP);
      const read = database.bind(stored.get);
      const [row = await read(id)] = await rotate({ id, secret, until });
      return { ...row, newSecret: secret };
    },

    /** Delivers the events after this one again, whatever became of them. Throws as the feed does, or NOT_FOUND. */
    async redeliver(id: Int64, after: string): Promise<Webhook> {
      const [read, readFeed, goBack] = [database.bind(stored.get), database.bind(readState), database.bind(rewind)];
      for (;;) {
        const found = await read(id);
        const position = positionOf(after, await readFeed());
        if ((await goBack({ id, start: found.position, position })).length > 0) return found;
      }
    },
  };

  /** @param caller the account whose own webhooks are counted */
  async function readState(caller: string | null = null) {
    if (!isOn) throw notRecorded();
    const [row] = await state({ caller });
    return row as NonNullable<typeof row>;
  }

  /** The URL in its usual form; throws VALIDATION_FAILED if it may not be requested. */
  function hrefOf(url: string): string {
    const message = urlError(url, reach);
    if (message !== undefined) throw validationFailed([{ path: ['url'], message }]);
    return new URL(url).href;
  }

  /**
   * When a client enables or disables it, the service's reason is dropped; then, or with another URL, the receiver's
   * pause is too. Each type is stored once: a long list of duplicates would be in every response.
   */
  function toColumns({ url, types, enabled, ...fields }: WebhookChanges) {
    return {
      ...fields,
      ...(url != null && { url: hrefOf(url), pausedUntil: null }),
      ...(types !== undefined && { types: [...new Set(types)].join(' ') || null }),
      ...(enabled != null && { enabled, disabledBecause: null, pausedUntil: null }),
    };
  }
}

function tooMany(what: string): ServiceError {
  return new ServiceError('CONFLICT', `${what}; delete one first.`);
}
