import { type Database, openDatabase } from '../engine/db/client.ts';
import { readyDatabase } from '../engine/db/migrate.ts';
import { locationIn } from '../process/location.ts';
import { misspeltSettings, readSettings } from '../process/settings.ts';

/** Runs a command; a failure is one clear line, and the exit code 1. */
export function runCommand(command: () => Promise<void>): void {
  command().catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  });
}

/** Opens the database of the settings for the work, and closes it whatever happens. */
export async function withDatabase<T>(work: (database: Database) => Promise<T>): Promise<T> {
  for (const misspelt of misspeltSettings(process.env)) process.stderr.write(`${misspelt}\n`);
  const database = await openDatabase(locationIn(readSettings(process.env)));
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/** Opens it with all migrations applied. */
export function withReadyDatabase<T>(work: (database: Database) => Promise<T>): Promise<T> {
  return withDatabase(async (database) => {
    await readyDatabase(database, readSettings(process.env).MIGRATE);
    return work(database);
  });
}
