import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from '../engine/db/client.ts';
import { assertNoneMissing } from '../engine/db/migrate.ts';
import { withoutSecrets } from '../engine/text.ts';
import { petStoreService } from '../petstore/service.ts';
import { openFrom, readyTables } from '../process/ready.ts';
import { misspeltSettings, readSettings, type Settings } from '../process/settings.ts';

interface DatabaseOptions {
  /** Whether a missing embedded database is an error: a new one would not be that of the service. @default false */
  readonly mustExist?: boolean;
}

/** Runs the work with the database of the settings, says which one that is, and closes it afterwards. */
export async function withDatabase<T>(
  work: (database: Database, settings: Settings) => Promise<T>,
  { mustExist = false }: DatabaseOptions = {},
): Promise<T> {
  for (const misspelt of misspeltSettings(process.env)) process.stderr.write(`${misspelt}\n`);
  const settings = readSettings(process.env);
  const { DATABASE_URL: url, DATA_DIR: folder } = settings;
  if (mustExist && url === undefined && !existsSync(join(folder, 'pgdata'))) {
    throw new Error(
      `There is no database in ${folder}. Set DATABASE_URL or DATA_DIR as for the service, or start the service first.`,
    );
  }
  const database = await openFrom(settings, petStoreService.name);
  process.stderr.write(`Database: ${url === undefined ? `embedded, in ${folder}` : withoutSecrets(url)}\n`);
  try {
    return await work(database, settings);
  } finally {
    await database.close();
  }
}

/** The same, with all migrations applied. It is left to the service and `db:migrate` whether changes become events. */
export function withReadyDatabase<T>(work: (database: Database) => Promise<T>, options?: DatabaseOptions): Promise<T> {
  return withDatabase(async (database, settings) => {
    await readyTables(database, settings);
    return work(database);
  }, options);
}

/** The same with a database that the service uses already: none is created, and no migration is applied. */
export function withExistingDatabase<T>(work: (database: Database) => Promise<T>): Promise<T> {
  const onlyIfNoneMissing = async (database: Database) => {
    await assertNoneMissing(database, 'this command applies none');
    return work(database);
  };
  return withDatabase(onlyIfNoneMissing, { mustExist: true });
}
