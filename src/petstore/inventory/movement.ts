import { type SQL, sql } from 'drizzle-orm';

/**
 * The part of a statement that updates the pet's status after its stock has changed: `available` if stock is left;
 * without stock, `pending` if an order is open, and `sold` if all orders are complete. It follows a part named `stock`,
 * which returns `pet_id, quantity, open_orders`. A pet whose stock is not tracked keeps its status. The pet is locked
 * before its status is read: the statement started before it waited for the stock's lock, and would see an old status.
 *
 * @param moved whether the change was a movement: a status that was set by hand stays until the next movement
 */
export function thenSetStatus(moved: SQL = sql`true`): SQL {
  return sql`pet as (
      select pets.id, pets.version, pets.status as before,
        (case when stock.quantity > 0 then 'available' when stock.open_orders > 0 then 'pending' else 'sold'
          end)::pet_status as after
      from stock join pets on pets.id = stock.pet_id
      where stock.quantity is not null and ${moved} for no key update of pets),
    status as (update pets set status = pet.after, version = pet.version + 1
      from pet where pets.id = pet.id and pet.before <> pet.after)`;
}
