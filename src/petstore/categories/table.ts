import { sql } from 'drizzle-orm';
import { bigint, check, index, pgTable, text } from 'drizzle-orm/pg-core';
import { nameKey } from '../../engine/db/name-order.ts';
import { versionColumn } from '../../engine/db/version.ts';
import type { Int64 } from '../../engine/index.ts';

/** Maximum lengths in characters; a name has at least one. */
export const CATEGORY_LENGTHS = { name: 200, description: 2000 } as const;

export const categories = pgTable(
  'categories',
  {
    id: bigint({ mode: 'bigint' }).$type<Int64>().primaryKey().generatedByDefaultAsIdentity(),
    name: text().notNull(),
    description: text(),
    version: versionColumn(),
  },
  (table) => [
    index('categories_name').on(nameKey(table.name), table.id),
    check(
      'categories_name_length',
      sql`char_length(${table.name}) between 1 and ${sql.raw(`${CATEGORY_LENGTHS.name}`)}`,
    ),
    check(
      'categories_description_length',
      sql`char_length(${table.description}) <= ${sql.raw(`${CATEGORY_LENGTHS.description}`)}`,
    ),
  ],
);

export type Category = typeof categories.$inferSelect;
