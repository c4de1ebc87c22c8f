import { sql } from 'drizzle-orm';
import { check, index, integer, pgTable } from 'drizzle-orm/pg-core';
import { int64Column, versionColumn } from '../../engine/db/columns.ts';
import { pets } from '../pets/table.ts';

/**
 * A pet whose stock is tracked or that has been ordered. Each stock movement updates its row, whose lock serializes the
 * movements. Without a quantity the stock is not tracked: clients see no entry.
 */
export const inventory = pgTable(
  'inventory',
  {
    petId: int64Column('pet_id')
      .primaryKey()
      .references(() => pets.id, { onDelete: 'cascade' }),
    quantity: integer(),
    /** Orders of the pet that are not complete: without stock they make the difference between `pending` and `sold`. */
    openOrders: integer('open_orders').notNull().default(0),
    version: versionColumn(),
  },
  (table) => [
    index('inventory_counted').on(table.petId).where(sql`${table.quantity} is not null`),
    check('inventory_quantity_not_negative', sql`${table.quantity} >= 0`),
    check('inventory_open_orders_not_negative', sql`${table.openOrders} >= 0`),
  ],
);
