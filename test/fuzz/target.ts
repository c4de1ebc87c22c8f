import { hash } from 'node:crypto';
import { getTableName, sql } from 'drizzle-orm';
import { pino } from 'pino';
import { contextOf, eventSourcesOf } from '../../src/engine/application.ts';
import { keyStore } from '../../src/engine/auth/keys.ts';
import { scopesIn } from '../../src/engine/auth/scope.ts';
import { type Database, openDatabase } from '../../src/engine/db/client.ts';
import { feedStore } from '../../src/engine/events/feed.ts';
import { installEvents } from '../../src/engine/events/install.ts';
import { countedTables } from '../../src/engine/schema/connection-type.ts';
import type { Context } from '../../src/engine/schema/context.ts';
import { type App, createApp } from '../../src/engine/service.ts';
import { seed } from '../../src/petstore/seed.ts';
import { petStoreService } from '../../src/petstore/service.ts';
import { accessFrom } from '../../src/process/access.ts';
import { createMetrics } from '../../src/process/metrics.ts';
import { prepareDatabase } from '../../src/process/prepare-database.ts';
import type { Settings } from '../../src/process/settings.ts';
import { startPostgresServer } from '../support/postgres-server.ts';
import { defaultRules, defaultSettings } from '../support/rules.ts';
import { makeTemporaryFolder } from '../support/temporary.ts';

const { schema } = petStoreService;

/** The service, on a database of its own. */
export interface Target {
  readonly fetch: App['fetch'];
  /** The context of its resolvers, without the lifecycle. */
  readonly context: Context;
  /** The Authorization field for a request, chosen by the text of the request; undefined for none. */
  authorizationFor(text: string): string | undefined;
  /** A digest of all rows, which changes with every change. */
  state(): Promise<string>;
  /** Restores the rows that each round starts with. */
  restore(): Promise<void>;
  close(): Promise<void>;
}

export type DatabaseKind = 'embedded' | 'server';
/** With `closed`, requests need scopes; most callers have them, and some do not. */
export type Openness = 'open' | 'closed';

const PETS = 60;
/** Lifecycle queries are sent to the service only. */
const NO_LIFECYCLE = undefined as never;
/** The tables of the resources; the others are the engine's. */
const TABLES = countedTables(petStoreService.schema)
  .map(getTableName)
  .filter((name) => !name.startsWith('lifecycle_'));
const STATE = TABLES.map(
  (table) => `(select count(*) || ' ' || coalesce(sum(hashtextextended(rows::text, 0)), 0) from ${table} as rows)`,
).join(" || ' ' || ");

const ALL_SCOPES = [...scopesIn(schema).keys()];
/** The scopes of the API keys: most have all, so that most requests are allowed. */
const SCOPES = [...Array(7).fill(ALL_SCOPES), ['read'], ['catalogue:write'], ['orders:write', 'read']];

/** Has another process own all webhooks, so that this one delivers nothing. */
const OWNED_ELSEWHERE = [
  `create function own_elsewhere() returns trigger language plpgsql as
    $$begin new.owner := 'another'; new.owned_until := now() + interval '1 day'; return new; end$$`,
  'create trigger own_elsewhere before insert on webhooks for each row execute function own_elsewhere()',
];

/**
 * Fills the feed with events, and records and delivers no more: a request that is sent twice must have the same answer.
 */
async function fillFeed(database: Database): Promise<void> {
  await seed(database, PETS, () => {});
  const isPublished = async () =>
    (await database.transaction((query) => query('select from outbox limit 1', []))).length === 0;
  while (!(await isPublished())) await new Promise((resolve) => setTimeout(resolve, 50));
  await installEvents(database, eventSourcesOf(petStoreService), 'off');
  await database.transaction(async (query) => {
    for (const statement of OWNED_ELSEWHERE) await query(statement, []);
  });
}

export async function startTarget(kind: DatabaseKind, openness: Openness): Promise<Target> {
  const server = kind === 'server' ? await startPostgresServer() : undefined;
  const folder = makeTemporaryFolder();
  const location = { url: server?.url, folder: folder.path, timeout: defaultSettings.REQUEST_TIMEOUT };
  const database = await openDatabase(location);
  await prepareDatabase(database, eventSourcesOf(petStoreService), { MIGRATE: 'on', EVENTS: 'on' });
  const settings: Settings = { ...defaultSettings, AUTH: openness === 'open' ? 'open' : 'all' };
  const authorizations: (string | undefined)[] = [undefined];
  if (openness === 'closed') {
    for (const scopes of SCOPES) {
      const { text } = await keyStore(database).create('fuzz', scopes, null);
      authorizations.push(`Bearer ${text}`);
    }
  }
  const app = createApp({
    application: petStoreService,
    database,
    settings,
    access: await accessFrom(settings, database, petStoreService.name),
    rules: defaultRules,
    metrics: createMetrics(),
    logger: pino({ level: 'silent' }),
  });
  await app.begin();
  await fillFeed(database);
  const state = database.statement('fuzz.state', 'list', sql.raw(`select ${STATE} as state`), {
    state: String,
  });
  const feed = feedStore(database, eventSourcesOf(petStoreService), { name: `/${petStoreService.name}`, isOn: true });
  return {
    fetch: app.fetch,
    context: contextOf(petStoreService, database, {
      lifecycle: NO_LIFECYCLE,
      events: feed,
      webhooks: { isOn: true, reach: 'loopback', clock: Date.now },
      streams: { wait: async () => undefined },
    }),
    authorizationFor: (text) => authorizations[hash('sha256', text, 'buffer').readUInt32BE() % authorizations.length],
    state: async () => (await state())[0]?.state ?? '',
    async restore() {
      await database.transaction((query) => query(`truncate ${TABLES.join()} restart identity`, []));
      await seed(database, PETS, () => {});
    },
    async close() {
      await app.flush();
      await database.close();
      folder.remove();
      await server?.stop();
    },
  };
}
