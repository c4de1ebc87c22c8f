import { type SQL, sql } from 'drizzle-orm';

/**
 * The status that a counted pet's stock gives it: stock left, available; none left and an open order, pending; none
 * left and all orders complete, sold.
 *
 * @param row the name under which the statement has the moved inventory row
 */
function statusFrom(row: 'stock'): SQL {
  const stock = sql.identifier(row);
  return sql`(case when ${stock}.quantity > 0 then 'available' when ${stock}.open_orders > 0 then 'pending'
    else 'sold' end)::pet_status`;
}

/**
 * The part of a statement that gives the pet the status of its stock, after a part named `stock` has moved it and
 * returned `pet_id, quantity, open_orders`. A pet that is not counted keeps its status. The pet is locked before its
 * status is looked at: the statement began before it had waited for the stock, and would see the status at that time.
 *
 * @param moved whether it was a movement at all: what was set by hand stands until the next one
 */
export function thenSetStatus(moved: SQL = sql`true`): SQL {
  return sql`pet as (
      select pets.id, pets.version, pets.status as before, ${statusFrom('stock')} as after
      from stock join pets on pets.id = stock.pet_id
      where stock.quantity is not null and ${moved} for no key update of pets),
    status as (update pets set status = pet.after, version = pet.version + 1
      from pet where pets.id = pet.id and pet.before <> pet.after)`;
}
