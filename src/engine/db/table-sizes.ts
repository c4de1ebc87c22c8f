import { getTableName, sql } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import type { Database } from './client.ts';

/** The age at which sizes are read again, in milliseconds. */
const FRESH = 10_000;

/** Caches the sizes of these tables, in pages of 8 KiB. */
export function tableSizes(database: Database, tables: readonly PgTable[]) {
  const names = tables.map(getTableName);
  const read = database.statement(
    'tables.sizes',
    'lookup',
    sql`select name, pg_relation_size(quote_ident(name)::regclass) / current_setting('block_size')::int
      from unnest(${sql.placeholder('names')}::text[]) as name`,
    { name: String, pages: Number },
  );
  let pages: ReadonlyMap<string, number> = new Map();
  let refreshedAt = performance.now();

  async function refresh(): Promise<void> {
    refreshedAt = performance.now();
    const rows = await read({ names });
    pages = new Map(rows.map((row) => [row.name, row.pages]));
  }

  return {
    refresh,
    /** The size of each table; 0 before the first refresh. Refreshes old sizes in the background, for later calls. */
    pagesOf(some: readonly PgTable[]): readonly number[] {
      // A failure shows in other statements too; the old sizes are still nearly right.
      if (performance.now() - refreshedAt > FRESH) refresh().catch(() => {});
      return some.map((table) => pages.get(getTableName(table)) ?? 0);
    },
  };
}
