import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { getTableColumns, getTableName, type Table } from 'drizzle-orm';
import { type MigrationMeta, readMigrationFiles } from 'drizzle-orm/migrator';
import { PROJECT } from '../project.ts';
import type { Database } from './client.ts';
import { type Query, toParameter } from './driver.ts';
import { DatabaseError, isDeadlock, LockTimeout } from './violations.ts';

const migrationsFolder = fileURLToPath(new URL('drizzle', PROJECT));
/** An arbitrary number that all versions of this service must share. */
const MIGRATION_LOCK = 7_385_113;
/**
 * In milliseconds: how long a migration waits for a lock at most, because all statements on the table wait behind it; and
 * the pause after that.
 */
const LOCK_TIMEOUT = 2_000;
const PAUSE = 2_000;
const ATTEMPTS = 5;
/** The SQLSTATE of a table that is to be created, and exists. */
const DUPLICATE_TABLE = '42P07';

/** Called with the reason when a migration has to wait. */
export type OnWait = (reason: string) => void;

/**
 * Applies the missing migrations under `drizzle/`, all or none. Of several processes, one works while the others wait
 * and then find nothing to do. Migrations are recorded where drizzle-kit records them, so its commands work too.
 *
 * @param onMissing called with the number of missing migrations before they are applied
 * @returns how many migrations were applied
 * @throws {Error} when other transactions hold locks on the tables for long; all is as before then
 */
export async function migrateDatabase(
  database: Database,
  onWait: OnWait = () => {},
  onMissing: (count: number) => void = () => {},
): Promise<number> {
  return withMigrationLock(database, onWait, async (query) => {
    await query('create schema if not exists drizzle', []);
    await query(
      'create table if not exists drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at numeric)',
      [],
    );
    const missing = await missingIn(query);
    if (missing.length > 0) onMissing(missing.length);
    for (const { sql, hash, folderMillis } of missing) {
      for (const statement of sql) await query(statement, []);
      await query('insert into drizzle.__drizzle_migrations (hash, created_at) values ($1, $2)', [hash, folderMillis]);
    }
    return missing.length;
  });
}

/** Works in a transaction, one process at a time. Tries again if it had to wait too long for a lock. */
export async function withMigrationLock<T>(
  database: Database,
  onWait: OnWait,
  work: (query: Query) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await database.transaction(async (query) => {
        const [[isFree] = []] = await query(`select pg_try_advisory_xact_lock(${MIGRATION_LOCK})`, []);
        if (isFree !== true) {
          onWait('another process migrates the database');
          await query(`select pg_advisory_xact_lock(${MIGRATION_LOCK})`, []);
        }
        await query(`set local lock_timeout = ${LOCK_TIMEOUT}`, []);
        return work(query);
      });
    } catch (error) {
      if (!(error instanceof LockTimeout || isDeadlock(error)))
        throw error instanceof DatabaseError ? notMigrated(error) : error;
      if (attempt === ATTEMPTS) {
        throw new Error(
          'The database was not migrated: other transactions, such as a backup, hold locks on its tables.',
        );
      }
      onWait('other transactions hold locks on the tables');
      await sleep(PAUSE);
    }
  }
}

function notMigrated({ message, state, constraint, cause }: DatabaseError): DatabaseError {
  const why = state === DUPLICATE_TABLE ? '; it may be the database of another application' : '';
  return new DatabaseError(`The database was not migrated: ${message}${why}.`, state, constraint, cause);
}

/** @throws {Error} when migrations are missing; `reason` says why they are not applied here */
export async function assertNoneMissing(database: Database, reason = 'MIGRATE is off'): Promise<void> {
  const missing = await database.transaction(async (query) => {
    const [[known] = []] = await query("select to_regclass('drizzle.__drizzle_migrations')::text", []);
    return known === null ? readMigrationFiles({ migrationsFolder }) : missingIn(query);
  });
  if (missing.length === 0) return;
  const are = missing.length === 1 ? '1 migration is' : `${missing.length} migrations are`;
  throw new Error(`${are} not applied, and ${reason}: run npm run db:migrate first.`);
}

/** @throws {Error} when an applied migration was changed: it would be applied again */
async function missingIn(query: Query): Promise<readonly MigrationMeta[]> {
  const rows = await query('select hash, created_at::text from drizzle.__drizzle_migrations', []);
  const applied = new Set(rows.map(([hash]) => hash));
  const instants = new Set(rows.map(([, instant]) => Number(instant)));
  const missing = readMigrationFiles({ migrationsFolder }).filter(({ hash }) => !applied.has(hash));
  const changed = missing.find(({ folderMillis }) => instants.has(folderMillis));
  if (changed === undefined) return missing;
  const { entries } = JSON.parse(readFileSync(`${migrationsFolder}/meta/_journal.json`, 'utf8'));
  const { tag } = entries.find(({ when }: { when: number }) => when === changed.folderMillis);
  throw new Error(
    `drizzle/${tag}.sql was changed after this database was migrated with it: restore it, and create a new migration for the change.`,
  );
}

/** @throws {Error} when the tables in the database lack columns, and what to do */
export async function assertColumns(query: Query, tables: Iterable<Table>): Promise<void> {
  const expected = [...tables].flatMap((table) =>
    Object.values(getTableColumns(table)).map((column) => `${getTableName(table)}.${column.name}`),
  );
  const rows = await query(
    `select name from unnest($1::text[]) as name where not exists (
      select from pg_attribute
      where attrelid = to_regclass(quote_ident(split_part(name, '.', 1))) and attname = split_part(name, '.', 2))`,
    [toParameter(expected)],
  );
  if (rows.length === 0) return;
  const known = new Set(readMigrationFiles({ migrationsFolder }).map(({ hash }) => hash));
  const applied = await query('select hash from drizzle.__drizzle_migrations', []);
  throw new Error(
    applied.every(([hash]) => known.has(String(hash)))
      ? `The tables in the code have columns that no migration in drizzle/ creates: ${rows.join(', ')}. Create it with: npm run db:generate -- --name what-it-is-for`
      : `The database has migrations that this version of the service does not know, and lacks columns that it needs: ${rows.join(', ')}. Deploy a newer version.`,
  );
}
