import { sql } from 'drizzle-orm';
import { pino } from 'pino';
import { type App, createApp } from '../../src/app.ts';
import { OPEN_ACCESS } from '../../src/auth/access.ts';
import { openDatabase } from '../../src/db/client.ts';
import { migrateDatabase } from '../../src/db/migrate.ts';
import { createMetrics } from '../../src/metrics.ts';
import { seed } from '../../src/seed.ts';
import { startPostgresServer } from '../support/postgres-server.ts';
import { usualRules, usualSettings } from '../support/rules.ts';
import { makeTemporaryFolder } from '../support/temporary.ts';

/** The service, on a database of its own. */
export interface Target {
  readonly fetch: App['fetch'];
  /** A digest of all rows: another one when anything has changed. */
  state(): Promise<string>;
  /** Puts back the rows that each round begins with, whatever has become of them. */
  restore(): Promise<void>;
  close(): Promise<void>;
}

export type DatabaseKind = 'embedded' | 'server';

const PETS = 60;
const TABLES = ['categories', 'pets', 'orders', 'inventory'];
const STATE = TABLES.map(
  (table) => `(select count(*) || ' ' || coalesce(sum(hashtextextended(rows::text, 0)), 0) from ${table} as rows)`,
).join(" || ' ' || ");

export async function startTarget(kind: DatabaseKind): Promise<Target> {
  const server = kind === 'server' ? await startPostgresServer() : undefined;
  const folder = makeTemporaryFolder();
  const location = { url: server?.url, folder: folder.path, timeout: usualSettings.REQUEST_TIMEOUT };
  const database = await openDatabase(location);
  await migrateDatabase(database);
  const app = createApp({
    database,
    settings: usualSettings,
    access: OPEN_ACCESS,
    rules: usualRules,
    metrics: createMetrics(),
    logger: pino({ level: 'silent' }),
  });
  await app.begin();
  const state = database.statement('fuzz.state', sql.raw(`select ${STATE} as state`), { state: { decode: String } });
  return {
    fetch: app.fetch,
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
