import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { messages, PGlite, type Transaction } from '@electric-sql/pglite';
import type { Driver, Query } from './driver.ts';
import { failureOf, type ReportedError } from './failures.ts';
import { lockFolder } from './lock.ts';

/** Of each transaction that is there. */
const BEGUN = Promise.resolve();
const INT8 = 20;
const TIMESTAMPTZ = 1184;
const asText = (text: string) => text;
const options = { rowMode: 'array', parsers: { [INT8]: asText, [TIMESTAMPTZ]: asText } } as const;

/**
 * Opens PostgreSQL inside this process, its files under the folder, which is made when it is not there, for this user alone.
 *
 * @throws {Error} with one clear line when another process holds the folder or it cannot be written
 */
export async function openEmbedded(folder: string): Promise<Driver> {
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    throw new Error(`The folder ${folder} for the embedded database cannot be made: ${error.code}.`);
  });
  const unlock = await lockFolder(folder);
  try {
    const database = await PGlite.create(join(folder, 'pgdata'));
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
