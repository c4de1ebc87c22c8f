import type { Logger } from 'pino';
import { type Database, openDatabase, type Probe } from '../engine/db/client.ts';
import { assertNoneMissing, migrateDatabase, type OnWait } from '../engine/db/migrate.ts';
import { assertEvents, installEvents } from '../engine/events/install.ts';
import type { EventSource } from '../engine/index.ts';
import type { Settings } from './settings.ts';

const OTHER_VERSION =
  'events are recorded as another version of the service defines them; if that is an older one, run npm run db:migrate';

/** Opens the database that the settings configure. On a server, the connections of this process have the name. */
export function openFrom(settings: Settings, name: string, logger?: Logger, probe?: Probe): Promise<Database> {
  const { DATABASE_URL: url, DATA_DIR: folder, REQUEST_TIMEOUT: timeout, DATABASE_POOL: pool } = settings;
  // It may take some seconds.
  if (url === undefined) logger?.info({ folder }, 'opening the embedded database');
  return openDatabase({ name, url, folder, timeout, pool }, probe);
}

/** Applies the missing migrations; or throws if `MIGRATE` is off: a separate job applies them (`npm run db:migrate`). */
export async function prepareTables(
  database: Database,
  { MIGRATE }: Pick<Settings, 'MIGRATE'>,
  logger?: Logger,
): Promise<void> {
  if (MIGRATE === 'off') return assertNoneMissing(database);
  const onMissing = (count: number) => logger?.info({ migrations: count }, 'migrating the database');
  await migrateDatabase(database, waitLog(logger), onMissing);
}

/**
 * Applies the missing migrations, and creates or drops the event triggers as `EVENTS` says. With `MIGRATE` off, it only
 * checks both.
 */
export async function prepareDatabase(
  database: Database,
  sources: readonly EventSource[],
  { MIGRATE, EVENTS }: Pick<Settings, 'MIGRATE' | 'EVENTS'>,
  logger?: Logger,
): Promise<void> {
  if (MIGRATE === 'off') return assertReady(database, sources, EVENTS, 'MIGRATE is off', logger);
  await prepareTables(database, { MIGRATE }, logger);
  await installEvents(database, sources, EVENTS, waitLog(logger));
}

/** @throws {Error} when migrations or triggers are missing; `reason` says why that is not changed here */
export async function assertReady(
  database: Database,
  sources: readonly EventSource[],
  events: Settings['EVENTS'],
  reason: string,
  logger?: Logger,
): Promise<void> {
  await assertNoneMissing(database, reason);
  if (await assertEvents(database, sources, events, reason)) logger?.warn(OTHER_VERSION);
}

function waitLog(logger: Logger | undefined): OnWait {
  return (reason) => logger?.warn({ reason }, 'waiting to migrate the database');
}
