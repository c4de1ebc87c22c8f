import { sql } from 'drizzle-orm';
import { bigint, check, index, integer, pgTable } from 'drizzle-orm/pg-core';
import { versionColumn } from '../../engine/db/version.ts';
import type { Int64 } from '../../engine/index.ts';
import { pets } from '../pets/table.ts';

/**
 * One row for each pet that is counted or has been ordered. Every movement of a pet's stock updates this one row, so
 * its lock puts the movements in a line. A row without a quantity is a pet that is not counted: no entry to a client.
 */
export const inventory = pgTable(
  'inventory',
  {
    petId: bigint('pet_id', { mode: 'bigint' })
      .$type<Int64>()
      .primaryKey()
      .references(() => pets.id, { onDelete: 'cascade' }),
    quantity: integer(),
    /** Orders of the pet that are not complete: with none left in stock they tell `pending` from `sold`. */
    openOrders: integer('open_orders').notNull().default(0),
    version: versionColumn(),
  },
  (table) => [
    index('inventory_counted').on(table.petId).where(sql`${table.quantity} is not null`),
    check('inventory_quantity_not_negative', sql`${table.quantity} >= 0`),
    check('inventory_open_orders_not_negative', sql`${table.openOrders} >= 0`),
  ],
);
