import { sql } from 'drizzle-orm';
import { boolean, check, index, integer, pgTable, timestamp } from 'drizzle-orm/pg-core';
import { idColumn, int64Column, versionColumn } from '../../engine/db/columns.ts';
import { pets } from '../pets/table.ts';

export const orders = pgTable(
  'orders',
  {
    id: idColumn(),
    petId: int64Column('pet_id').references(() => pets.id),
    quantity: integer().notNull().default(1),
    shipDate: timestamp('ship_date', { withTimezone: true, precision: 3, mode: 'date' }),
    complete: boolean().notNull().default(false),
    version: versionColumn(),
  },
  (table) => [
    index('orders_pet').on(table.petId, table.id),
    index('orders_complete').on(table.complete, table.id),
    // Orders without a ship date come last in both directions, so each has its stand-in for the missing date, and its
    // index.
    index('orders_ship_date').on(sql`coalesce(${table.shipDate}, 'infinity')`, table.id),
    index('orders_ship_date_latest').on(sql`coalesce(${table.shipDate}, '-infinity')`, table.id),
    check('orders_quantity_positive', sql`${table.quantity} >= 1`),
  ],
);

export type Order = typeof orders.$inferSelect;
