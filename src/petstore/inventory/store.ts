import { type SQL, sql } from 'drizzle-orm';
import { batchWrites, writtenItems } from '../../engine/db/batch.ts';
import type { Database } from '../../engine/db/client.ts';
import { columnsOf, type List } from '../../engine/db/list.ts';
import { byId, type PageWindow, pages } from '../../engine/db/paging.ts';
import { storeRequestId, storeRequestIds } from '../../engine/db/request-id.ts';
import type { RowOf } from '../../engine/db/row.ts';
import {
  type ExpectedVersion,
  hasExpectedVersion,
  versionCondition,
  versionMismatch,
} from '../../engine/db/version.ts';
import { type Int64, ServiceError, validationFailed } from '../../engine/index.ts';
import { type PetStatus, pets } from '../pets/table.ts';
import { inventory } from './table.ts';

const columns = {
  petId: inventory.petId,
  // Nullable in the table alone: the list has the pets whose stock is tracked.
  quantity: inventory.quantity as unknown as typeof inventory.openOrders,
  status: pets.status,
  version: inventory.version,
  petVersion: pets.version,
};

/** The inventory entry of a pet whose stock is tracked. */
export type InventoryItem = RowOf<typeof columns> & {
  /** Whether this change created the entry. */
  readonly began?: boolean;
};

interface NewStock {
  readonly petId: Int64;
  readonly quantity: number;
  readonly status?: PetStatus | null | undefined;
  readonly expectedVersion?: ExpectedVersion;
  readonly requestId?: string | undefined;
}

/** The version of an entry: a change of the entry or of its pet's status raises the sum. */
export function entryVersion({ version, petVersion }: Pick<InventoryItem, 'version' | 'petVersion'>): number {
  return version + petVersion;
}

const from = sql`${inventory} join ${pets} on ${pets.id} = ${inventory.petId}`;

export const inventoryList = {
  name: 'inventory',
  columns,
  from,
  // Every entry has a pet, so only a filter by status needs the join.
  countFrom: (filters) => (filters.includes('status') ? from : sql`${inventory}`),
  tables: [inventory, pets],
  id: inventory.petId,
  joinedId: pets.id,
  idOf: (item) => item.petId,
  where: sql`${inventory.quantity} is not null`,
  filters: {
    petId: { column: inventory.petId, values: sql`${sql.placeholder('petId')}::bigint[]` },
    status: { condition: sql`${pets.status} = any(${sql.placeholder('status')}::pet_status[])` },
  },
  sorts: { id: { descending: false } },
} satisfies List<typeof columns, 'petId' | 'status', 'id'>;

export function inventoryStore(database: Database) {
  const { where: counted } = inventoryList;
  const bothVersions = sql`${inventory.version} + ${pets.version}`;
  const selected = columnsOf(inventoryList);
  const petId = sql.placeholder('petId');
  const page = pages(database, inventoryList);

  // A pet without an entry has version 0. One whose entry is locked, but not the pet itself, is left out. The conditions
  // on top of the joins find rows by their keys, whatever PostgreSQL knows of the table.
  const replaceQuery = (lock: SQL) => sql`with given as (
        select distinct on ("petId") * from json_to_recordset(${sql.placeholder('rows')}::text::json) as item(index integer,
          "petId" bigint, quantity integer, status pet_status, "expectedVersion" bigint[], "requestId" text)
        order by "petId", index),
      locked as (
        select id, version, status from pets where id = any(array(select "petId" from given))
        order by id for no key update ${lock}),
      before as (
        select pet_id, quantity, inventory.version + locked.version as version
        from inventory join locked on locked.id = inventory.pet_id
        where inventory.pet_id = any(array(select id from locked)) for update of inventory ${lock}),
      seen as (
        select id, locked.status, pet_id is not null as has_row, before.quantity is null as is_new,
          case when before.quantity is null then 0 else before.version end as version
        from locked left join before on pet_id = id
        where pet_id is not null or (select true from inventory where inventory.pet_id = id) is null),
      stock as (
        insert into inventory (pet_id, quantity)
        select id, given.quantity from seen join given on "petId" = id
        where ${versionCondition(sql`seen.version`, sql`"expectedVersion"`)} and coalesce(seen.status = given.status, true)
        on conflict (pet_id) do update set quantity = excluded.quantity,
          version = inventory.version + (inventory.quantity is distinct from excluded.quantity)::integer
        where inventory.pet_id in (select id from seen where has_row)
        returning pet_id, quantity, open_orders, version),
      ${thenSetStatus()}
      select index, stock.pet_id, stock.quantity, pet.after, stock.version, pet.version + (pet.before <> pet.after)::integer,
        seen.is_new, ${storeRequestIds(sql`"petId"`)}
      from stock join pet on pet.id = stock.pet_id join seen on seen.id = stock.pet_id join given on "petId" = stock.pet_id`;
  const replaced = { index: Number, ...columns, began: Boolean };
  const replace = database.statement('inventory.replace', 'write', replaceQuery(sql``), replaced, {
    of: 'pet',
    by: 'petId',
  });
  const replaceMany = database.statement('inventory.replaceMany', 'write', replaceQuery(sql`skip locked`), replaced);
  const ofPet = database.statement(
    'inventory.ofPet',
    'lookup',
    sql`select coalesce((select ${bothVersions} where ${counted}), 0), ${pets.status}
      from ${pets} left join ${inventory} on ${inventory.petId} = ${pets.id} where ${pets.id} = ${petId}`,
    { version: inventory.version, status: pets.status },
  );
  const stop = database.statement(
    'inventory.stop',
    'write',
    sql`with before as (
        select ${selected} from ${from} where ${counted} and ${inventory.petId} = ${petId} and ${versionCondition(sql`(${bothVersions})`)}
        for no key update of pets for update of inventory)
      update inventory set quantity = null, version = inventory.version + 1
      from before where inventory.pet_id = before.pet_id returning before.*, ${storeRequestId}`,
    columns,
    { of: 'pet', by: 'petId' },
  );

  const byPetId = byId(database, inventoryList);

  return {
    byPetId,

    list: (filters: Parameters<typeof page>[0], window: PageWindow) => page(filters, 'id', window),

    /**
     * Creates the entry of a pet, or replaces its quantity. Rejects with NOT_FOUND if no pet has the id, and
     * VALIDATION_FAILED if a status is given that is not the current one. A pet without an entry has version 0.
     */
    replaceStock: batchWrites<NewStock, InventoryItem>(database, 'inventory.replace', replaceMany, replaceAlone),

    /** Deletes the entry of a pet. Rejects with NOT_FOUND if there is none. */
    async stopTracking(id: Int64, expectedVersion: ExpectedVersion, requestId?: string): Promise<InventoryItem> {
      const read = database.bind(byPetId.load);
      const [stopped] = await stop({ petId: id, expectedVersion, requestId });
      if (stopped !== undefined) return stopped;
      const item = await read(id);
      if (item === undefined) throw new ServiceError('NOT_FOUND', `Pet ${id} has no inventory entry.`);
      throw versionMismatch(`The inventory entry of pet ${id}`, { version: entryVersion(item) }, expectedVersion);
    },
  };

  async function replaceAlone(given: NewStock): Promise<InventoryItem> {
    const { petId: id, status, expectedVersion } = given;
    const statusOf = database.bind(ofPet);
    const replaceNow = database.bind(replace);
    const values = { petId: id, rows: writtenItems([given]) };
    const [item] = await replace(values);
    if (item !== undefined) return item;
    const [seen] = await statusOf({ petId: id });
    if (seen === undefined) throw new ServiceError('NOT_FOUND', `No pet has the id ${id}.`);
    if (hasExpectedVersion(seen, expectedVersion)) {
      if (status != null && status !== seen.status) throw otherStatus(seen.status);
      // The pet's first order created its inventory row while this statement waited: only a new statement sees it.
      const [replaced] = await replaceNow(values);
      if (replaced !== undefined) return replaced;
    }
    throw versionMismatch(`The inventory entry of pet ${id}`, seen, expectedVersion);
  }
}

/** The error for a different status. Only stock movements set the status; a client may send back the current one. */
function otherStatus(status: PetStatus): ServiceError {
  const errors = (current: string) => [
    { path: ['status'], message: `is read-only: it must be ${current}, or be left out` },
  ];
  return validationFailed(errors("the pet's current status"), errors(`${status}, its current value`));
}

/**
 * The part of a statement that updates the pet's status after its stock has changed: `available` if stock is left;
 * without stock, `pending` if an order is open, and `sold` if all orders are complete. It follows a part named `stock`,
 * which returns `pet_id, quantity, open_orders`. A pet whose stock is not tracked keeps its status. The pet is
 * locked once more as its status is read: the statement started before it waited for locks, and would see an old status.
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
