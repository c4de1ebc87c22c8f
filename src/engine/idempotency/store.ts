import { hash } from 'node:crypto';
import { type SQL, sql } from 'drizzle-orm';
import type { Database } from '../db/client.ts';
import { flag } from '../db/row.ts';
import type { HttpReply } from '../http/reply.ts';
import type { KeyedRequest } from './key.ts';
import { idempotencyKeys } from './table.ts';

/** How long an answer is kept. */
const KEPT: SQL = sql.raw("interval '24 hours'");

const FORGOTTEN_AT_ONCE = 2_000;

/** An answer that was stored, and the digest of what it answers. */
export interface StoredReply {
  readonly fingerprint: string;
  readonly reply: HttpReply;
}

/** The keys and their answers, in a database or in a transaction of it. */
export type KeyStore = ReturnType<typeof keyStore>;

/** The keys in the database; what is not about forgetting belongs into a transaction. */
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
      where caller = ${caller} and key = ${key} and created_at > now() - ${KEPT}`,
    { fingerprint, status, headers, body },
  );
  // Only one that is to be forgotten can be there.
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
        select caller, key from ${idempotencyKeys} where created_at <= now() - ${KEPT}
        order by created_at limit ${sql.raw(`${FORGOTTEN_AT_ONCE}`)} for update skip locked)
      returning status`,
    { status },
  );

  return {
    /** Whether nobody else holds the key; then nobody does until the transaction ends. */
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

    /** Forgets the answers of over a day ago, some at a time: so that nobody waits, however many they are. */
    async forget(): Promise<void> {
      while ((await forget()).length === FORGOTTEN_AT_ONCE);
    },
  };
}

/** Locks have numbers of 64 bits: of two keys that share one, the second would be told to try again. */
function lockOf({ caller, key }: KeyedRequest): bigint {
  return hash('sha256', JSON.stringify([caller, key]), 'buffer').readBigInt64BE();
}
