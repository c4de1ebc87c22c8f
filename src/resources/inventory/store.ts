import { sql } from 'drizzle-orm';
import { coalesce } from '../../db/batch.ts';
import type { Database } from '../../db/client.ts';
import { type Page, type PageWindow, pages } from '../../db/paging.ts';
import { flag } from '../../db/row.ts';
import { explaining } from '../../db/violations.ts';
import { ServiceError } from '../../errors.ts';
import type { Int64 } from '../../int64.ts';
import { type PetStatus, pets } from '../pets/table.ts';
import { statusFrom, thenSetStatus } from './movement.ts';
import { inventory } from './table.ts';

/** The stock of a pet that is counted. Its status is the pet's. */
export interface InventoryItem {
  readonly petId: Int64;
  readonly quantity: number;
  readonly status: PetStatus;
  /** Whether the change that answers with this entry made it. */
  readonly began?: boolean;
}

export interface InventoryFilters {
  readonly petId?: readonly Int64[] | null | undefined;
  readonly status?: readonly PetStatus[] | null | undefined;
}

export type InventoryStore = ReturnType<typeof inventoryStore>;

/** The entries of the pets that are counted. */
export function inventoryStore(database: Database) {
  const counted = sql`${inventory.quantity} is not null`;
  // Every statement here reads counted pets alone: so the quantity is never null, which its column cannot know.
  const columns = { petId: inventory.petId, quantity: inventory.quantity, status: pets.status };
  const from = sql`${inventory} join ${pets} on ${pets.id} = ${inventory.petId}`;
  const selected = sql.join(Object.values(columns), sql`, `);
  const petId = sql.placeholder('petId');
  const page = pages(database, {
    name: 'inventory',
    columns,
    from,
    id: inventory.petId,
    joinedId: pets.id,
    idOf: (row) => row.petId,
    where: counted,
    filters: {
      petId: sql`${inventory.petId} = any(${petId}::bigint[])`,
      status: sql`${pets.status} = any(${sql.placeholder('status')}::pet_status[])`,
    },
    sorts: { id: { descending: false } },
  });

  const byKeys = database.statement(
    'inventory.byKeys',
    sql`select ${selected} from ${from}
      where ${counted} and ${inventory.petId} = any(${sql.placeholder('ids')}::bigint[])`,
    columns,
  );
  const replace = database.statement(
    'inventory.replace',
    sql`with before as (select quantity from inventory where pet_id = ${petId} for update),
      stock as (
        insert into inventory (pet_id, quantity)
        select ${petId}::bigint, ${sql.placeholder('quantity')}::integer from (select count(*) from before) as locked
        on conflict (pet_id) do update set quantity = excluded.quantity
        returning pet_id, quantity, open_orders, xmax = 0 as is_new),
      ${thenSetStatus()}
      select pet_id, quantity, ${statusFrom('stock')}, coalesce((select quantity is null from before), is_new)
      from stock`,
    { ...columns, began: flag },
  );
  const stop = database.statement(
    'inventory.stop',
    sql`with before as (select pet_id, quantity from inventory where pet_id = ${petId} and ${counted} for update),
      stopped as (
        update inventory set quantity = null from before where inventory.pet_id = before.pet_id
        returning before.pet_id, before.quantity)
      select stopped.pet_id, stopped.quantity, pets.status from stopped join pets on pets.id = stopped.pet_id`,
    columns,
  );

  return {
    byPetId: coalesce(
      database,
      'inventory.byKeys',
      (ids: readonly Int64[]) => byKeys({ ids }) as Promise<InventoryItem[]>,
      (row) => row.petId,
    ),

    list: (filters: InventoryFilters, window: PageWindow) =>
      page('id', filters, window) as Promise<Page<InventoryItem>>,

    /** Begins to count a pet, or replaces its count. Rejects with NOT_FOUND when no pet has the id. */
    async replaceStock(id: Int64, quantity: number): Promise<InventoryItem> {
      const [item] = await explaining(replace({ petId: id, quantity }), {
        inventory_pet_id_pets_id_fk: () => new ServiceError('NOT_FOUND', `No pet has the id ${id}.`),
      });
      return item as InventoryItem;
    },

    /** The pet is no longer counted. Rejects with NOT_FOUND when it was not. */
    async stopTracking(id: Int64): Promise<InventoryItem> {
      const [item] = await stop({ petId: id });
      if (item === undefined) {
        throw new ServiceError('NOT_FOUND', `Pet ${id} has no inventory entry.`);
      }
      return item as InventoryItem;
    },
  };
}
