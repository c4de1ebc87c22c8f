import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from '../engine/db/client.ts';
import { assertNoneMissing } from '../engine/db/migrate.ts';
import { withoutSecrets } from '../engine/text.ts';
import { petStoreService } from '../petstore/service.ts';
import { openFrom } from '../process/prepare-database.ts';
import { misspeltSettings, readSettings, type Settings } from '../process/settings.ts';

/**
 * Runs the work with the database of the settings, says which one that is, and closes it afterwards. If it must exist, a
 * missing embedded database is an error: a new one would not be that of the service.
 */
export async function withDatabase<T>(
  work: (database: Database, settings: Settings) => Promise<T>,
  { mustExist = false }: { readonly mustExist?: boolean } = {},
): Promise<T> {
  for (const misspelt of misspeltSettings(process.env)) process.stderr.write(`${misspelt}\n`);
  const settings = readSettings(process.env);
  if (mustExist) assertExists(settings);
  const { DATABASE_URL: url, DATA_DIR: folder } = settings;
  const database = await openFrom(settings, petStoreService.name);
  process.stderr.write(`Database: ${url === undefined ? `embedded, in ${folder}` : withoutSecrets(url)}\n`);
  try {
    return await work(database, settings);
  } finally {
    await database.close();
  }
}

/** The same with a database that the service uses already: none is created, and no migration is applied. */
export function withExistingDatabase(work: (database: Database, settings: Settings) => Promise<void>): Promise<void> {
  const onlyIfNoneMissing = async (database: Database, settings: Settings) => {
    await assertNoneMissing(database, 'this command applies none');
    await work(database, settings);
  };
  return withDatabase(onlyIfNoneMissing, { mustExist: true });
}

/** @throws {Error} when the embedded database of the settings does not exist yet */
export function assertExists({ DATABASE_URL: url, DATA_DIR: folder }: Settings): void {
  if (url !== undefined || existsSync(join(folder, 'pgdata'))) return;
  throw new Error(
    `There is no database in ${folder}. Set DATABASE_URL or DATA_DIR as for the service, or start the service first.`,
  );
}
