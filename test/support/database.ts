import { cpSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { inject } from 'vitest';
import { type Database, type DatabaseLocation, openDatabase, type Probe } from '../../src/engine/db/client.ts';
import { addressOf } from './admin.ts';
import { acquireDatabase, releaseDatabase } from './shared-server.ts';

/** The result of a project's global setup: a data folder to copy, or a database to copy on a server. */
type Source =
  | { readonly kind: 'embedded'; readonly folder: string; readonly template: string }
  | { readonly kind: 'server'; readonly folder: string; readonly template: string; readonly url: string };

/** The service's statement timeout, in milliseconds. */
const TIMEOUT = 10_000;

declare module 'vitest' {
  export interface ProvidedContext {
    /** Undefined in the project `plain`, which has no database. */
    testDatabase: Source | undefined;
  }
}

export interface DatabaseCopy {
  /** For further connections and processes: `url` of a server, otherwise `folder`, which `database` has locked. */
  readonly location: DatabaseLocation;
  /** Closes `database`, unless the test has, and removes everything at the location. */
  dispose(): Promise<void>;
}

/** One that is open; to dispose of it closes it, unless the test has. */
export interface TestDatabase extends DatabaseCopy {
  readonly database: Database;
}

const source = provided();

/** The database of this run. */
export const databaseKind: Source['kind'] = source.kind;

/** Whether this run has the tests of what no database has a part in: one is enough, and processes start sooner on a server. */
export const hasCommonTests = databaseKind === 'server';

/**
 * Opens an empty migrated database of its own. It takes up to a second, so use one per test file, not per test.
 *
 * @param probe observes its statements
 */
export async function openTestDatabase(probe?: Probe): Promise<TestDatabase> {
  if (source.kind === 'embedded') {
    const { openSharedDatabase } = await import('./shared-embedded.ts');
    return openSharedDatabase(copyTestDatabase, probe);
  }
  const { location, dispose } = await copyTestDatabase();
  try {
    const database = await openDatabase(location, probe);
    return {
      database,
      location,
      dispose: async () => {
        await database.close();
        await dispose();
      },
    };
  } catch (error) {
    await dispose();
    throw error;
  }
}

/** Makes such a database for a process to open, which costs less than to open it here. */
export async function copyTestDatabase(): Promise<DatabaseCopy> {
  // Inside the run's folder, so that the run takes it along when it removes its own, whatever became of this process.
  const folder = await mkdtemp(join(source.folder, 'test-'));
  const removeFolder = () => rm(folder, { recursive: true, force: true });
  if (source.kind === 'embedded') {
    // Several times as fast as the asynchronous `cp`: there are hundreds of files.
    cpSync(join(source.template, 'pgdata'), join(folder, 'pgdata'), { recursive: true });
    return { location: { url: undefined, folder, timeout: TIMEOUT }, dispose: removeFolder };
  }
  const { url, template } = source;
  const name = await acquireDatabase(url, template);
  return {
    location: { url: addressOf(url, name), folder, timeout: TIMEOUT },
    dispose: async () => {
      await releaseDatabase(url, name);
      await removeFolder();
    },
  };
}

function provided(): Source {
  const given = inject('testDatabase');
  if (given === undefined) throw new Error('Only tests under test/service have a database; move this one there.');
  return given;
}
