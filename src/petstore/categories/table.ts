import { index, pgTable, text } from 'drizzle-orm/pg-core';
import { idColumn, lengthCheck, versionColumn } from '../../engine/db/columns.ts';
import { nameKey } from '../../engine/db/name-order.ts';

export const CATEGORY_LENGTHS = { name: { min: 1, max: 200 }, description: { min: 0, max: 2000 } } as const;

export const categories = pgTable(
  'categories',
  {
    id: idColumn(),
    name: text().notNull(),
    description: text(),
    version: versionColumn(),
  },
  (table) => [
    index('categories_name').on(nameKey(table.name), table.id),
    lengthCheck(table.name, CATEGORY_LENGTHS.name),
    lengthCheck(table.description, CATEGORY_LENGTHS.description),
  ],
);

export type Category = typeof categories.$inferSelect;
