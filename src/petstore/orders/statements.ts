import { type SQL, sql } from 'drizzle-orm';
import type { Database } from '../../engine/db/client.ts';
import { columnsOf } from '../../engine/db/list.ts';
import { storeRequestId, storeRequestIds } from '../../engine/db/request-id.ts';
import { versionCondition } from '../../engine/db/version.ts';
import { thenSetStatus } from '../inventory/store.ts';
import { inventory } from '../inventory/table.ts';
import { pets } from '../pets/table.ts';
import { orderList } from './list.ts';
import { orders } from './table.ts';

/**
 * Each write is one statement, which also moves the pet's stock if it is tracked. It updates the inventory row under
 * its lock or does not write the order, so stock is never oversold, with any number of processes. All statements lock
 * the pet before its orders and its stock, as its deletion does, so that they cannot deadlock.
 */
export function orderStatements(database: Database) {
  const { columns } = orderList;
  const selected = columnsOf(orderList);
  const [id, petId, quantity] = [sql.placeholder('id'), sql.placeholder('petId'), sql.placeholder('quantity')];
  const [shipDate, complete] = [sql.placeholder('shipDate'), sql.placeholder('complete')];
  // The pet of an order never changes, so it is read before the order is locked.
  const petLocked = sql`locked as (
        select from pets where id = (select pet_id from orders where id = ${id}) for no key update)`;
  const isPetLocked = sql`(select count(*) from locked) >= 0`;

  const draft = database.statement(
    'orders.draft',
    'write',
    sql`insert into orders (quantity, ship_date, complete) values (${quantity}, ${shipDate}, ${complete})
      returning ${selected}, ${storeRequestId}`,
    columns,
  );
  // Returns the pet and its stock even if it places no order, because the error depends on them. The status before is
  // that of the statement's start, which is another one if it has changed while the statement waited for the pet.
  const place = database.statement(
    'orders.place',
    'write',
    sql`with ordered as (select id, status from pets where id = ${petId} for no key update),
      held as (
        select quantity from inventory join ordered on ordered.id = inventory.pet_id for no key update of inventory),
      stock as (
        insert into inventory (pet_id, open_orders)
        select id, (not ${complete}::boolean)::integer from ordered where status = 'available'
        on conflict (pet_id) do update set
          quantity = inventory.quantity - ${quantity}::integer,
          open_orders = inventory.open_orders + excluded.open_orders,
          version = inventory.version + 1
        where inventory.quantity is null or inventory.quantity >= ${quantity}::integer
        returning pet_id, quantity, open_orders),
      ${thenSetStatus()},
      placed as (
        insert into orders (pet_id, quantity, ship_date, complete)
        select pet_id, ${quantity}::integer, ${shipDate}::timestamptz, ${complete}::boolean from stock
        returning ${selected})
      select ordered.status, (select status from pets where id = ${petId}), held.quantity, placed.*, ${storeRequestId}
      from ordered left join held on true left join placed on true`,
    { petStatus: pets.status, statusBefore: pets.status, stockLeft: inventory.quantity, ...columns },
    { of: 'pet', by: 'petId' },
  );
  // Places at most one order of each pet, and none that would wait for a lock: the others are placed one by one.
  const placeMany = database.statement(
    'orders.placeMany',
    'write',
    sql`with given as (
        select distinct on ("petId") * from json_to_recordset(${sql.placeholder('rows')}::text::json)
          as item(index integer, "petId" bigint, quantity integer, "shipDate" timestamptz, complete boolean, "requestId" text)
        order by "petId", index),
      free as (
        select pet_id from inventory join pets on pets.id = inventory.pet_id
        where pet_id = any(array(select "petId" from given)) and pets.status = 'available'
        for no key update of pets, inventory skip locked),
      stock as (
        update inventory set
          quantity = inventory.quantity - given.quantity,
          open_orders = inventory.open_orders + (not given.complete)::integer,
          version = inventory.version + 1
        from given join free on free.pet_id = given."petId"
        where inventory.pet_id = given."petId"
          and (inventory.quantity is null or inventory.quantity >= given.quantity)
        returning inventory.pet_id, inventory.quantity, inventory.open_orders),
      ${thenSetStatus()},
      placed as (
        insert into orders (pet_id, quantity, ship_date, complete)
        select given."petId", given.quantity, given."shipDate", given.complete
        from given join stock on stock.pet_id = given."petId"
        returning ${selected})
      select given.index, placed.*, ${storeRequestIds(sql`"petId"`)}
      from placed join given on given."petId" = placed.pet_id`,
    { index: Number, ...columns },
  );
  // Changes at most one order of each pet, and any number of drafts.
  const updateQuery = (lock: SQL) => sql`with item as (
        select * from json_to_recordset(${sql.placeholder('rows')}::text::json) as item(index integer, id bigint,
          quantity integer, "shipDate" timestamptz, "setsShipDate" boolean, complete boolean,
          "expectedVersion" bigint[], "requestId" text)),
      given as (
        select distinct on (coalesce(pet_id, -id)) item.*, pet_id from item join orders using (id)
        where orders.id = any(array(select id from item)) order by coalesce(pet_id, -id), index),
      locked as (
        select id from pets join inventory on pet_id = id where id = any(array(select pet_id from given))
        order by id for no key update of pets, inventory ${lock}),
      before as (
        select orders.*, coalesce(given.quantity, orders.quantity) - orders.quantity as more,
          coalesce(given.complete, false) as completes,
          case when "setsShipDate" then "shipDate" else ship_date end as new_ship_date, index
        from orders join given using (id)
        where orders.id = any(array(select id from given)) and not orders.complete
          and ${versionCondition(orders.version, sql`"expectedVersion"`)}
          and (orders.pet_id is null or orders.pet_id = any(array(select id from locked)))
        for update of orders ${lock}),
      stock as (
        update inventory set
          quantity = inventory.quantity - before.more,
          open_orders = inventory.open_orders - before.completes::integer,
          version = inventory.version + (before.more <> 0)::integer
        from before
        where inventory.pet_id = before.pet_id and (inventory.quantity is null or inventory.quantity >= before.more)
        returning inventory.pet_id, inventory.quantity, inventory.open_orders),
      ${thenSetStatus(sql`stock.pet_id in (select pet_id from before where completes or more <> 0)`)}
      update orders set
        quantity = before.quantity + before.more,
        ship_date = before.new_ship_date,
        complete = before.completes,
        version = before.version
          + (before.more <> 0 or before.completes or before.new_ship_date is distinct from before.ship_date)::integer
      from before
      where orders.id = before.id and (before.pet_id is null or before.pet_id in (select pet_id from stock))
      returning before.index, ${selected}, ${storeRequestIds(sql`coalesce(pet_id, -id)`)}`;
  const changed = { index: Number, ...columns };
  const update = database.statement('orders.update', 'write', updateQuery(sql``), changed, { of: 'order', by: 'id' });
  const updateMany = database.statement('orders.updateMany', 'write', updateQuery(sql`skip locked`), changed);
  const cancel = database.statement(
    'orders.cancel',
    'write',
    sql`with ${petLocked},
      cancelled as (
        delete from orders where id = ${id} and not complete and ${versionCondition(orders.version)} and ${isPetLocked}
        returning ${selected}),
      stock as (
        update inventory set
          quantity = inventory.quantity + cancelled.quantity,
          open_orders = inventory.open_orders - 1,
          version = inventory.version + 1
        from cancelled where inventory.pet_id = cancelled.pet_id
        returning inventory.pet_id, inventory.quantity, inventory.open_orders),
      ${thenSetStatus()}
      select cancelled.*, ${storeRequestId} from cancelled`,
    columns,
    { of: 'order', by: 'id' },
  );
  return { draft, place, placeMany, update, updateMany, cancel };
}
