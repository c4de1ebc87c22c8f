import { index, pgEnum, pgTable, text } from 'drizzle-orm/pg-core';
import { idColumn, int64Column, lengthCheck, versionColumn } from '../../engine/db/columns.ts';
import { nameKey } from '../../engine/db/name-order.ts';
import { categories } from '../categories/table.ts';

const PET_STATUSES = ['available', 'pending', 'sold'] as const;
export type PetStatus = (typeof PET_STATUSES)[number];

export const PET_NAME_LENGTH = { min: 1, max: 200 } as const;

export const petStatus = pgEnum('pet_status', PET_STATUSES);

export const pets = pgTable(
  'pets',
  {
    id: idColumn(),
    name: text().notNull(),
    categoryId: int64Column('category_id')
      .notNull()
      .references(() => categories.id),
    status: petStatus().notNull().default('available'),
    version: versionColumn(),
  },
  (table) => [
    index('pets_name').on(nameKey(table.name), table.id),
    index('pets_category').on(table.categoryId, table.id),
    index('pets_status').on(table.status, table.id),
    lengthCheck(table.name, PET_NAME_LENGTH),
  ],
);

export type Pet = typeof pets.$inferSelect;
