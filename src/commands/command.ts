import { type Database, openDatabase } from '../db/client.ts';
import { misspeltSettings, readSettings } from '../env.ts';

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
  const { DATABASE_URL: url, DATA_DIR: folder, REQUEST_TIMEOUT: timeout } = readSettings(process.env);
  const database = await openDatabase({ url, folder, timeout });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}
