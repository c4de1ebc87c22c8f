import { sql } from 'drizzle-orm';
import { bigint, boolean, check, index, integer, pgTable, timestamp } from 'drizzle-orm/pg-core';
import { versionColumn } from '../../engine/db/version.ts';
import type { Int64 } from '../../engine/index.ts';
import { pets } from '../pets/table.ts';

export const orders = pgTable(
  'orders',
  {
    id: bigint({ mode: 'bigint' }).$type<Int64>().primaryKey().generatedByDefaultAsIdentity(),
    petId: bigint('pet_id', { mode: 'bigint' })
      .$type<Int64>()
      .references(() => pets.id),
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
