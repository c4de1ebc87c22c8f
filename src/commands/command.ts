import type { Database } from '../engine/db/client.ts';
import { petStoreService } from '../petstore/service.ts';
import { lineAbout } from '../process/failure.ts';
import { openFrom, readyTables } from '../process/ready.ts';
import { misspeltSettings, readSettings, type Settings } from '../process/settings.ts';

/** Runs a command. An error is printed as one line, with the exit code 1. */
export function runCommand(command: () => Promise<void>): void {
  command().catch((error: unknown) => {
    process.stderr.write(`${lineAbout(error)}\n`);
    process.exitCode = 1;
  });
}

/** Runs the work with the database of the settings, and closes the database afterwards. */
export async function withDatabase<T>(work: (database: Database, settings: Settings) => Promise<T>): Promise<T> {
  for (const misspelt of misspeltSettings(process.env)) process.stderr.write(`${misspelt}\n`);
  const settings = readSettings(process.env);
  const database = await openFrom(settings, petStoreService.name);
  try {
    return await work(database, settings);
  } finally {
    await database.close();
  }
}

/** The same, with all migrations applied. It is left to the service and `db:migrate` whether changes become events. */
export function withReadyDatabase<T>(work: (database: Database) => Promise<T>): Promise<T> {
  return withDatabase(async (database, settings) => {
    await readyTables(database, settings);
    return work(database);
  });
}
