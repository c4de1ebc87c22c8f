import { sql } from 'drizzle-orm';
import { bigint, check, index, pgEnum, pgTable, text } from 'drizzle-orm/pg-core';
import { nameKey } from '../../engine/db/name-order.ts';
import { versionColumn } from '../../engine/db/version.ts';
import type { Int64 } from '../../engine/index.ts';
import { categories } from '../categories/table.ts';

const PET_STATUSES = ['available', 'pending', 'sold'] as const;
export type PetStatus = (typeof PET_STATUSES)[number];

/** Maximum lengths in characters; a name has at least one. */
export const PET_NAME_LENGTH = 200;

export const petStatus = pgEnum('pet_status', PET_STATUSES);

export const pets = pgTable(
  'pets',
  {
    id: bigint({ mode: 'bigint' }).$type<Int64>().primaryKey().generatedByDefaultAsIdentity(),
    name: text().notNull(),
    categoryId: bigint('category_id', { mode: 'bigint' })
      .$type<Int64>()
      .notNull()
      .references(() => categories.id),
    status: petStatus().notNull().default('available'),
    version: versionColumn(),
  },
  (table) => [
    index('pets_name').on(nameKey(table.name), table.id),
    index('pets_category').on(table.categoryId, table.id),
    index('pets_status').on(table.status, table.id),
    check('pets_name_length', sql`char_length(${table.name}) between 1 and ${sql.raw(`${PET_NAME_LENGTH}`)}`),
  ],
);

export type Pet = typeof pets.$inferSelect;
