import { getTableName, sql } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import type { Database } from './client.ts';
import { integer } from './row.ts';

/** How long a size is believed, in milliseconds. */
const FRESH = 10_000;

/** How large tables are, in pages of 8 KiB, as it was seen lately. */
interface TableSizes {
  /** How many pages each of them has; none before they are known. Has them looked at again where that is long ago, for the next who asks. */
  pagesOf(tables: readonly PgTable[]): readonly number[];
  /** Looks at them now. */
  refresh(): Promise<void>;
}

/** @param tables all that are asked for */
export function tableSizes(database: Database, tables: readonly PgTable[]): TableSizes {
  const names = tables.map(getTableName);
  const read = database.statement(
    'tables.sizes',
    'lookup',
    sql`select name, pg_relation_size(name::regclass) / current_setting('block_size')::int
      from unnest(${sql.placeholder('names')}::text[]) as name`,
    { name: { decode: String }, pages: integer },
  );
  let pages: ReadonlyMap<string, number> = new Map();
  let seen = performance.now();

  async function refresh(): Promise<void> {
    seen = performance.now();
    const rows = await read({ names });
    pages = new Map(rows.map((row) => [row.name, row.pages]));
  }

  return {
    refresh,
    pagesOf(asked) {
      // What fails is seen next time; the sizes of before are still nearly right.
      if (performance.now() - seen > FRESH) refresh().catch(() => {});
      return asked.map((table) => pages.get(getTableName(table)) ?? 0);
    },
  };
}
