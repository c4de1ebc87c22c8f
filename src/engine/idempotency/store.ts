import { hash } from 'node:crypto';
import { type SQL, sql } from 'drizzle-orm';
import type { Database } from '../db/client.ts';
import { flag } from '../db/row.ts';
import type { HttpReply } from '../http/reply.ts';
import type { KeyedRequest } from './key.ts';
import { idempotencyKeys } from './table.ts';

/** How long a reply is stored. */
const LIFETIME: SQL = sql.raw("interval '24 hours'");

const DELETED_AT_ONCE = 2_000;

/** A stored reply, and the digest of its request. */
export interface StoredReply {
  readonly fingerprint: string;
  readonly reply: HttpReply;
}

/** The keys and their replies, in a database or a transaction. */
export type KeyStore = ReturnType<typeof keyStore>;

/** Stores keys with their replies. All functions but `forget` must be called in a transaction. */
export function keyStore(database: Database) {
  const [caller, key] = [sql.placeholder('caller'), sql.placeholder('key')];
  const lock = database.statement(
    'idempotency.lock',
    'lookup',
    sql`select pg_try_advisory_xact_lock(${sql.placeholder('lock')}::bigint)`,
    { isLocked: flag },
  );
  const { fingerprint, status, headers, body } = idempotencyKeys;
  const find = database.statement(
    'idempotency.find',
    'lookup',
    sql`select fingerprint, status, headers, body from ${idempotencyKeys}
      where caller = ${caller} and key = ${key} and created_at > now() - ${LIFETIME}`,
    { fingerprint, status, headers, body },
  );
  // A row with the same key can only be an expired one.
  const keep = database.statement(
    'idempotency.keep',
    'write',
    sql`insert into ${idempotencyKeys} (caller, key, fingerprint, status, headers, body)
      values (${caller}, ${key}, ${sql.placeholder('fingerprint')}, ${sql.placeholder('status')},
        ${sql.placeholder('headers')}, ${sql.placeholder('body')})
      on conflict (caller, key) do update set fingerprint = excluded.fingerprint, status = excluded.status,
        headers = excluded.headers, body = excluded.body, created_at = now()`,
    {},
  );
  const forget = database.statement(
    'idempotency.forget',
    'write',
    sql`delete from ${idempotencyKeys} where (caller, key) in (
        select caller, key from ${idempotencyKeys} where created_at <= now() - ${LIFETIME}
        order by created_at limit ${sql.raw(`${DELETED_AT_ONCE}`)} for update skip locked)
      returning status`,
    { status },
  );

  return {
    /** Locks the key until the transaction ends; false if another transaction has locked it. */
    async hold(request: KeyedRequest): Promise<boolean> {
      const [row] = await lock({ lock: lockOf(request) });
      return row?.isLocked ?? false;
    },

    async find(request: KeyedRequest): Promise<StoredReply | undefined> {
      const [row] = await find({ ...request });
      if (row === undefined) return undefined;
      return {
        fingerprint: row.fingerprint,
        reply: { status: row.status, headers: JSON.parse(row.headers) as string[], body: row.body },
      };
    },

    async keep(request: KeyedRequest, { status: ofReply, headers: fields, body: content }: HttpReply): Promise<void> {
      await keep({ status: ofReply, headers: JSON.stringify(fields), body: content, ...request });
    },

    /** Deletes replies older than a day, in batches, so that other statements don't have to wait. */
    async forget(): Promise<void> {
      while ((await forget()).length === DELETED_AT_ONCE);
    },
  };
}

/** The 64-bit number of a key's advisory lock. If two keys share a number, the second gets IDEMPOTENCY_CONFLICT. */
function lockOf({ caller, key }: KeyedRequest): bigint {
  return hash('sha256', JSON.stringify([caller, key]), 'buffer').readBigInt64BE();
}
