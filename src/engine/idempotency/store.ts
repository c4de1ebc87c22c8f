import { hash } from 'node:crypto';
import { type SQL, sql } from 'drizzle-orm';
import type { Database } from '../db/client.ts';
import type { HttpReply } from '../http/reply.ts';
import type { KeyedRequest } from './key.ts';
import { idempotencyKeys } from './table.ts';

const LIFETIME: SQL = sql.raw("interval '24 hours'");

/** How long requests that share a transaction wait for a locked row and for a statement, because they all wait then. */
const BRIEF_LOCK_WAIT = '20ms';
const BRIEF_STATEMENT = '500ms';

const DELETED_AT_ONCE = 2_000;

export interface StoredReply {
  readonly fingerprint: string;
  readonly reply: HttpReply;
}

export type KeyStore = ReturnType<typeof keyStore>;

/** Stores keys with their replies, of several requests at once. Call all functions but `find` and `deleteOld` in a transaction. */
export function keyStore(database: Database) {
  const lock = database.statement(
    'idempotency.lock',
    'lookup',
    sql`select pg_try_advisory_xact_lock(lock) from unnest(${sql.placeholder('locks')}::bigint[]) as lock`,
    { isLocked: Boolean },
  );
  const { fingerprint, status, body } = idempotencyKeys;
  const headers = (text: unknown): readonly string[] => JSON.parse(String(text));
  // One at a time, by the limit: otherwise, a plan that was made while there were few would read all of them.
  const findReplies = database.statement(
    'idempotency.find',
    'lookup',
    sql`select index, fingerprint, status, headers, body
      from unnest(${sql.placeholder('callers')}::text[], ${sql.placeholder('keys')}::text[])
        with ordinality as given(caller, key, index),
        lateral (select * from ${idempotencyKeys} as own
          where own.caller = given.caller and own.key = given.key limit 1) as stored
      where created_at > now() - ${LIFETIME}`,
    { index: Number, fingerprint, status, headers, body },
  );
  const waitBriefly = database.statement(
    'idempotency.waitBriefly',
    'lookup',
    sql`select set_config('lock_timeout', ${BRIEF_LOCK_WAIT}, true),
      set_config('statement_timeout', ${BRIEF_STATEMENT}, true)`,
    {},
  );
  // A row with the same key can only be an expired one.
  const storeReplies = database.statement(
    'idempotency.store',
    'write',
    sql`insert into ${idempotencyKeys} (caller, key, fingerprint, status, headers, body)
      select * from json_to_recordset(${sql.placeholder('replies')}::text::json)
        as reply(caller text, key text, fingerprint text, status smallint, headers text, body text)
      on conflict (caller, key) do update set fingerprint = excluded.fingerprint, status = excluded.status,
        headers = excluded.headers, body = excluded.body, created_at = now()`,
    {},
  );
  const deleteReplies = database.statement(
    'idempotency.forget',
    'write',
    sql`delete from ${idempotencyKeys} where (caller, key) in (
        select caller, key from ${idempotencyKeys} where created_at <= now() - ${LIFETIME}
        order by created_at limit ${DELETED_AT_ONCE} for update skip locked)
      returning status`,
    { status },
  );

  return {
    /** Locks the keys until the transaction ends; false for one that another has locked. */
    async lockKeys(requests: readonly KeyedRequest[]): Promise<readonly boolean[]> {
      const rows = await lock({ locks: requests.map(lockNumber) });
      return rows.map(({ isLocked }) => isLocked);
    },

    async find(requests: readonly KeyedRequest[]): Promise<readonly (StoredReply | undefined)[]> {
      const callers = requests.map(({ caller }) => caller);
      const rows = await findReplies({ callers, keys: requests.map(({ key }) => key) });
      const found: (StoredReply | undefined)[] = requests.map(() => undefined);
      for (const { index, fingerprint, ...reply } of rows) found[index - 1] = { fingerprint, reply };
      return found;
    },

    /** From now on, statements of the transaction take only a short time, and wait less for a row that is locked. */
    waitBriefly,

    async keep(replies: readonly (Pick<KeyedRequest, 'caller' | 'key' | 'fingerprint'> & HttpReply)[]): Promise<void> {
      await storeReplies({ replies: JSON.stringify(replies) });
    },

    /** Deletes some of the replies older than a day: other statements have to wait meanwhile. True if there may be more. */
    deleteOld: async () => (await deleteReplies()).length === DELETED_AT_ONCE,
  };
}

/** The 64-bit number of a key's advisory lock. If two keys share a number, the second gets IDEMPOTENCY_CONFLICT. */
function lockNumber({ caller, key }: KeyedRequest): bigint {
  return hash('sha256', JSON.stringify([caller, key]), 'buffer').readBigInt64BE();
}
