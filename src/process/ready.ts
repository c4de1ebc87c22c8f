import type { Logger } from 'pino';
import { type Database, openDatabase, type Probe } from '../engine/db/client.ts';
import { assertNoneMissing, migrateDatabase } from '../engine/db/migrate.ts';
import { assertEvents, installEvents } from '../engine/events/install.ts';
import type { EventSource } from '../engine/index.ts';
import type { Settings } from './settings.ts';

/**
 * Opens the database that the settings configure.
 *
 * @param name the name of this process's connections on a server
 */
export function openFrom(settings: Settings, name: string, probe?: Probe): Promise<Database> {
  const { DATABASE_URL: url, DATA_DIR: folder, REQUEST_TIMEOUT: timeout, DATABASE_POOL: pool } = settings;
  return openDatabase({ name, url, folder, timeout, pool }, probe);
}

/**
 * Makes sure that all migrations under `drizzle/` are applied, and that changes are recorded as events if `EVENTS` is
 * on, before the database is used.
 *
 * @param settings if `MIGRATE` is off, a separate job does so (`npm run db:migrate`)
 * @param logger logs that migrations are applied, or that the database records events as another version does
 * @throws {Error} when it is off and something is missing
 */
export async function readyDatabase(
  database: Database,
  sources: readonly EventSource[],
  { MIGRATE, EVENTS }: Pick<Settings, 'MIGRATE' | 'EVENTS'>,
  logger?: Logger,
): Promise<void> {
  if (MIGRATE === 'on') {
    await migrateDatabase(database, (count) => logger?.info({ migrations: count }, 'migrating the database'));
    await installEvents(database, sources, EVENTS);
  } else {
    await assertNoneMissing(database);
    const areOfAnother = await assertEvents(database, sources, EVENTS);
    if (areOfAnother) logger?.warn('events are recorded as another version of the service defines them');
  }
}
