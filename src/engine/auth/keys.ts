import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { getTableColumns, sql } from 'drizzle-orm';
import { LRUCache } from 'lru-cache';
import { loaderOf } from '../db/batch.ts';
import type { Database } from '../db/client.ts';
import { columnsOf } from '../db/list.ts';
import type { Caller, Verifier } from './access.ts';
import type { Challenge } from './challenge.ts';
import { apiKeys } from './table.ts';

export type ApiKey = typeof apiKeys.$inferSelect;

/** The prefix of every API key, by which a leaked one is recognized. */
export const PREFIX = 'psk_';
const KEY = /^psk_([a-z0-9]{12})_([A-Za-z0-9_-]{43})$/;
/** How long a looked-up key is cached, in milliseconds, and so how long a revocation takes. */
const FRESH = 2_000;
const MAX_KNOWN = 1_000;

type KnownKey = Pick<ApiKey, 'id' | 'digest' | 'scopes' | 'revokedAt' | 'expiresAt'>;

/** Stands for a key that does not exist: its digest is compared too, so that the response takes as long. */
const NO_KEY: KnownKey = { id: '', digest: digestOf(''), scopes: '', revokedAt: new Date(0), expiresAt: null };

/** Makes the function that verifies API keys against the database, with a cache of recent ones. */
export function keyVerifier(database: Database, { badToken }: Challenge, clock: () => Date): Verifier {
  const { byId } = keyStore(database);
  const known = new LRUCache<string, KnownKey>({ max: MAX_KNOWN, ttl: FRESH });

  return (token) => {
    const [, id, secret] = KEY.exec(token) ?? [];
    if (id === undefined || secret === undefined) throw badToken('The API key is incomplete.');
    const found = known.get(id);
    return found === undefined ? async () => callerOf(await lookUp(id), secret) : callerOf(found, secret);
  };

  async function lookUp(id: string): Promise<KnownKey> {
    const start = performance.now();
    const found = (await byId.load(id)) ?? NO_KEY;
    known.set(id, found, { start });
    return found;
  }

  function callerOf({ id, digest, scopes, revokedAt, expiresAt }: KnownKey, secret: string): Caller {
    const isRight = timingSafeEqual(Buffer.from(digestOf(secret)), Buffer.from(digest));
    if (!isRight || revokedAt !== null) throw badToken('The API key is unknown or revoked.');
    if (expiresAt !== null && expiresAt <= clock()) throw badToken('The API key has expired.');
    return { id: `key:${id}`, scopes: new Set(scopes.split(' ')) };
  }
}

export function keyStore(database: Database) {
  const columns = getTableColumns(apiKeys);
  const selected = columnsOf({ columns });
  const byIds = database.statement(
    'apiKeys.byIds',
    'lookup',
    sql`select ${selected} from ${apiKeys} where id = any(${sql.placeholder('ids')}::text[])`,
    columns,
  );
  const insert = database.statement(
    'apiKeys.insert',
    'write',
    sql`insert into ${apiKeys} (id, name, digest, scopes, expires_at)
      values (${sql.placeholder('id')}, ${sql.placeholder('name')}, ${sql.placeholder('digest')},
        ${sql.placeholder('scopes')}, ${sql.placeholder('expiresAt')}) returning ${selected}`,
    columns,
  );
  const list = database.statement(
    'apiKeys.list',
    'list',
    sql`select ${selected} from ${apiKeys} order by created_at`,
    columns,
  );
  const revoke = database.statement(
    'apiKeys.revoke',
    'write',
    sql`update ${apiKeys} set revoked_at = coalesce(revoked_at, now()) where id = ${sql.placeholder('id')}
      returning ${selected}`,
    columns,
  );

  return {
    byId: loaderOf(
      database,
      'apiKeys.byIds',
      (ids: readonly string[]) => byIds({ ids }),
      (row) => row.id,
    ),

    /** @returns the key, and its text, which is not stored and can't be shown again */
    async create(name: string, scopes: readonly string[], expiresAt: Date | null) {
      const id = randomBytes(6).toString('hex');
      const secret = randomBytes(32).toString('base64url');
      const [key] = await insert({ id, name, digest: digestOf(secret), scopes: scopes.join(' '), expiresAt });
      return { key: key as ApiKey, text: `${PREFIX}${id}_${secret}` };
    },

    list: () => list(),

    /** Returns undefined when no key has the id. A key that is already revoked keeps its revocation time. */
    revoke: async (id: string): Promise<ApiKey | undefined> => (await revoke({ id }))[0],
  };
}

function digestOf(secret: string): string {
  return hash('sha256', secret, 'base64url');
}
