import type { Logger } from 'pino';
import { type Database, openDatabase, type Probe } from '../engine/db/client.ts';
import { assertNoneMissing, migrateDatabase, type OnWait } from '../engine/db/migrate.ts';
import { assertEvents, installEvents } from '../engine/events/install.ts';
import type { EventSource } from '../engine/index.ts';
import type { Settings } from './settings.ts';

const OTHER_VERSION =
  'events are recorded as another version of the service defines them; if that is an older one, run npm run db:migrate';

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
 * Makes sure that all migrations under `drizzle/` are applied, before the database is used.
 *
 * @param settings if `MIGRATE` is off, a separate job applies them (`npm run db:migrate`)
 * @throws {Error} when it is off and some are missing
 */
export async function readyTables(
  database: Database,
  { MIGRATE }: Pick<Settings, 'MIGRATE'>,
  logger?: Logger,
): Promise<void> {
  if (MIGRATE === 'off') return assertNoneMissing(database);
  const onMissing = (count: number) => logger?.info({ migrations: count }, 'migrating the database');
  await migrateDatabase(database, waitLog(logger), onMissing);
}

/**
 * The same, and makes sure that changes are recorded as events if `EVENTS` is on, and only then.
 *
 * @throws {Error} when `MIGRATE` is off and something is missing
 */
export async function readyDatabase(
  database: Database,
  sources: readonly EventSource[],
  settings: Pick<Settings, 'MIGRATE' | 'EVENTS'>,
  logger?: Logger,
): Promise<void> {
  await readyTables(database, settings, logger);
  if (settings.MIGRATE === 'on') {
    await installEvents(database, sources, settings.EVENTS, waitLog(logger));
  } else {
    const isOther = await assertEvents(database, sources, settings.EVENTS);
    if (isOther) logger?.warn(OTHER_VERSION);
  }
}

function waitLog(logger: Logger | undefined): OnWait {
  return (reason) => logger?.warn({ reason }, 'waiting to migrate the database');
}
