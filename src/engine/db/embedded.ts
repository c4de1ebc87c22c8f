import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { messages, PGlite, type Transaction } from '@electric-sql/pglite';
import type { Driver, Query } from './driver.ts';
import { failureOf, type ReportedError } from './failures.ts';
import { lockFolder } from './lock.ts';

const DATABASE_FOLDER = 'pgdata';
/** Of each transaction that is there. */
const BEGUN = Promise.resolve();
const INT8 = 20;
const TIMESTAMPTZ = 1184;
const asText = (text: string) => text;
const options = { rowMode: 'array', parsers: { [INT8]: asText, [TIMESTAMPTZ]: asText } } as const;

/**
 * Opens PostgreSQL inside this process, its files under the folder, which is made when it is not there, for this user alone.
 *
 * @throws {Error} with one clear line when another process holds the folder, it cannot be written or has other files in it
 */
export async function openEmbedded(folder: string): Promise<Driver> {
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch(unusable(folder, 'made'));
  await assertOurs(folder);
  const unlock = await lockFolder(folder).catch(unusable(folder, 'written'));
  try {
    const database = await PGlite.create(join(folder, DATABASE_FOLDER));
    await database.exec("set time zone 'UTC'; set datestyle = 'ISO'; set enable_seqscan = off");
    return {
      kind: 'embedded',
      query: queryOn(database),
      transaction: (work) => database.transaction((transaction) => work(queryOn(transaction), BEGUN)),
      close: async () => {
        await database.close();
        await unlock();
      },
    };
  } catch (error) {
    await unlock();
    throw new Error(`The embedded database in ${folder} cannot be opened: ${(error as Error).message}.`);
  }
}

/** Tells of a failure of the file system in one line; passes on what says itself what is wrong. */
function unusable(folder: string, what: string): (error: NodeJS.ErrnoException) => never {
  return (error) => {
    if (error.code === undefined) throw error;
    throw new Error(
      `The folder ${folder} for the embedded database cannot be ${what} (${error.code}); set DATA_DIR to one that can.`,
    );
  };
}

/** What else may be in a folder that nobody has used yet: of a file system, and of Git. */
const NOBODYS = /^(lost\+found|\.gitkeep|\.gitignore|lock\..*)$/;

/** A database among the files of others is soon deleted by mistake, or they with it. */
async function assertOurs(folder: string): Promise<void> {
  const files = await readdir(folder).catch(unusable(folder, 'read'));
  const isMade = files.includes(DATABASE_FOLDER);
  const inside = isMade ? await readdir(join(folder, DATABASE_FOLDER)).catch(unusable(folder, 'read')) : files;
  const isOurs = isMade
    ? inside.length === 0 || inside.includes('PG_VERSION')
    : files.every((file) => NOBODYS.test(file));
  if (isOurs) return;
  const named = inside.filter((file) => !NOBODYS.test(file)).slice(0, 3);
  throw new Error(
    `The folder ${isMade ? join(folder, DATABASE_FOLDER) : folder} contains other files (${named.join(', ')}); set DATA_DIR to an empty folder.`,
  );
}

function queryOn(database: PGlite | Transaction): Query {
  return async (text, parameters) => {
    try {
      const { rows } = await database.query<unknown[]>(text, [...parameters], options);
      return rows;
    } catch (error) {
      throw translate(error);
    }
  };
}

function translate(error: unknown): unknown {
  return error instanceof messages.DatabaseError && error.code !== undefined
    ? failureOf(error as ReportedError)
    : error;
}
