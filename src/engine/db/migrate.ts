import { fileURLToPath } from 'node:url';
import { getTableColumns, getTableName } from 'drizzle-orm';
import { type MigrationMeta, readMigrationFiles } from 'drizzle-orm/migrator';
import type { Database } from './client.ts';
import { type Query, toParameter } from './driver.ts';

const migrationsFolder = fileURLToPath(new URL('../../../drizzle', import.meta.url));
/** An arbitrary number that all versions of this service must share. */
const MIGRATION_LOCK = 7_385_113;

/**
 * Applies the missing migrations under `drizzle/`, all or none. Several processes may call it at once: one works while
 * the others wait for a lock and then find nothing to do. Applied migrations are recorded where drizzle-kit records
 * them, so its commands work on the same database.
 *
 * @param onMissing called with the number of missing migrations before they are applied
 * @returns how many migrations were applied
 */
export async function migrateDatabase(
  database: Database,
  onMissing: (count: number) => void = () => {},
): Promise<number> {
  return withMigrationLock(database, async (query) => {
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

/** Runs the work in a transaction that no other process that changes the database's definition runs beside. */
export function withMigrationLock<T>(database: Database, work: (query: Query) => Promise<T>): Promise<T> {
  return database.transaction(async (query) => {
    await query(`select pg_advisory_xact_lock(${MIGRATION_LOCK})`, []);
    return work(query);
  });
}

/**
 * Makes sure that all migrations under `drizzle/` are applied.
 *
 * @param reason why they are not applied here
 * @throws {Error} when some are missing
 */
export async function assertNoneMissing(database: Database, reason = 'MIGRATE is off'): Promise<void> {
  const missing = await database.transaction(async (query) => {
    const [[known] = []] = await query("select to_regclass('drizzle.__drizzle_migrations')::text", []);
    return known === null ? readMigrationFiles({ migrationsFolder }) : missingIn(query);
  });
  if (missing.length === 0) return;
  const are = missing.length === 1 ? '1 migration is' : `${missing.length} migrations are`;
  throw new Error(`${are} not applied, and ${reason}: run npm run db:migrate first.`);
}

async function missingIn(query: Query): Promise<readonly MigrationMeta[]> {
  const applied = new Set((await query('select hash from drizzle.__drizzle_migrations', [])).map(([hash]) => hash));
  return readMigrationFiles({ migrationsFolder }).filter(({ hash }) => !applied.has(hash));
}

/**
 * Makes sure that the database has all columns of the tables in the code. If a migration was never generated, only the
 * requests would fail otherwise, one by one.
 *
 * @throws {Error} that names the missing columns, and the command that generates the migration
 */
export async function assertMigrated(database: Database): Promise<void> {
  const expected = [...database.tables].flatMap((table) =>
    Object.values(getTableColumns(table)).map((column) => `${getTableName(table)}.${column.name}`),
  );
  const rows = await database.transaction((query) =>
    query(
      `select name from unnest($1::text[]) as name where not exists (
        select from pg_attribute
        where attrelid = to_regclass(quote_ident(split_part(name, '.', 1))) and attname = split_part(name, '.', 2))`,
      [toParameter(expected)],
    ),
  );
  if (rows.length === 0) return;
  throw new Error(
    `The tables in the code have columns that no migration in drizzle/ creates: ${rows.join(', ')}. Create it with: npm run db:generate -- --name what-it-is-for`,
  );
}
