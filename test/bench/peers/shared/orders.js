import { decodeCursor, encodeCursor } from './cursor.js';
import { sql } from './database.js';

/** A tracked pet has less stock than the quantity. */
export class OutOfStock extends Error {}

/** The orders after the cursor, by id; `next` is the cursor of the next page, undefined on the last. */
export async function ordersAfter({ limit, after }) {
  const rows = await sql`select id, pet_id as "petId", quantity, ship_date as "shipDate", complete from orders
    where id > ${decodeCursor(after)} order by id limit ${limit + 1}`;
  const next = rows.length > limit ? encodeCursor(rows[limit - 1].id) : undefined;
  return { orders: rows.slice(0, limit).map(present), next };
}

/**
 * Places an order and takes its quantity from the pet's stock in one transaction. The update waits for the row's lock
 * and changes nothing if the stock is too low, so stock is never oversold. Without an entry the pet is only recorded.
 *
 * @throws {OutOfStock} if a tracked pet has too little stock; nothing is changed then
 */
export function placeOrder({ petId, quantity, shipDate = null, complete }) {
  const open = complete ? 0 : 1;
  return sql.begin(async (sql) => {
    const [stock] =
      await sql`update inventory set quantity = quantity - ${quantity}, open_orders = open_orders + ${open}
      where pet_id = ${petId} and quantity >= ${quantity} returning quantity, open_orders as "openOrders"`;
    if (stock === undefined) await noteUncounted(sql, petId, open);
    else if (stock.quantity === 0) {
      await sql`update pets set status = ${stock.openOrders > 0 ? 'pending' : 'sold'} where id = ${petId}`;
    }
    const [order] = await sql`insert into orders (pet_id, quantity, ship_date, complete)
      values (${petId}, ${quantity}, ${shipDate}, ${complete})
      returning id, pet_id as "petId", quantity, ship_date as "shipDate", complete`;
    return present(order);
  });
}

async function noteUncounted(sql, petId, open) {
  const noted = await sql`insert into inventory (pet_id, open_orders) values (${petId}, ${open})
    on conflict (pet_id) do update set open_orders = inventory.open_orders + excluded.open_orders
    where inventory.quantity is null returning pet_id`;
  if (noted.length === 0) throw new OutOfStock(`Pet ${petId} has too little left in stock.`);
}

/** Leaves out fields without a value. */
function present({ petId, shipDate, ...order }) {
  return { ...order, petId: petId ?? undefined, shipDate: shipDate ?? undefined };
}
