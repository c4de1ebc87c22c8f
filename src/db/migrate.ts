import { fileURLToPath } from 'node:url';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import type { Database } from './client.ts';

const migrationsFolder = fileURLToPath(new URL('../../drizzle', import.meta.url));
/** Any number will do, as long as every version of this service takes the same. */
const MIGRATION_LOCK = 7_385_113;

/**
 * Brings the database to the schema under `drizzle/`, all or nothing. Several processes may do so at once: one works
 * while the rest wait on a lock, and they then find nothing left to do. What was applied is kept where drizzle-kit
 * keeps it, so its commands work on the same database.
 *
 * @returns how many migrations were applied
 */
export async function migrateDatabase(database: Database): Promise<number> {
  const migrations = readMigrationFiles({ migrationsFolder });
  return database.transaction(async (query) => {
    await query(`select pg_advisory_xact_lock(${MIGRATION_LOCK})`, []);
    await query('create schema if not exists drizzle', []);
    await query(
      'create table if not exists drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at numeric)',
      [],
    );
    const applied = new Set((await query('select hash from drizzle.__drizzle_migrations', [])).map(([hash]) => hash));
    const missing = migrations.filter((migration) => !applied.has(migration.hash));
    for (const { sql, hash, folderMillis } of missing) {
      for (const statement of sql) await query(statement, []);
      await query('insert into drizzle.__drizzle_migrations (hash, created_at) values ($1, $2)', [hash, folderMillis]);
    }
    return missing.length;
  });
}
