import { randomUUID } from 'node:crypto';
import postgres from 'postgres';
import type { Query } from '../../src/engine/db/driver.ts';
import { addressOf, administer } from './admin.ts';
import { type Origin, originOf, renew } from './renew.ts';

/** How many databases a worker keeps for the next test. */
const MAX_SPARE = 2;

/** Those that no test uses at present, as new. */
const spare: string[] = [];
let origin: Origin | undefined;

/**
 * Gives the name of a database that is as new: one that another test has left and that was emptied, or else a copy of
 * the template. To make a copy takes three times as long as to empty one, because it has some 400 files.
 */
export async function acquireDatabase(url: string, template: string): Promise<string> {
  const left = spare.pop();
  if (left !== undefined) return left;
  const name = `${template}_${randomUUID().slice(0, 8)}`;
  await administer(url, `create database ${name} template ${template}`);
  origin ??= await within(url, name, originOf);
  return name;
}

/** Keeps the database for the next test if it can be made as new, or drops it. */
export async function releaseDatabase(url: string, name: string): Promise<void> {
  const first = origin;
  if (first !== undefined && spare.length < MAX_SPARE) {
    const isRenewed = await within(url, name, (query) => renew(query, first)).catch(() => false);
    if (isRenewed) {
      spare.push(name);
      return;
    }
  }
  await administer(url, `drop database if exists ${name} with (force)`);
}

/** Does the work in one transaction on a connection of its own. */
async function within<T>(url: string, name: string, work: (query: Query) => Promise<T>): Promise<T> {
  const client = postgres(addressOf(url, name), {
    max: 1,
    connect_timeout: 5,
    // A test may have set it for the database.
    connection: { IDLE_SESSION_TIMEOUT: '0' },
    fetch_types: false,
    onnotice: () => {},
  });
  try {
    return (await client.begin((sql) => work((text, values) => sql.unsafe(text, [...values]).values()))) as T;
  } finally {
    await client.end({ timeout: 5 });
  }
}
