import { sql } from 'drizzle-orm';
import type { Loader } from '../../engine/db/batch.ts';
import { byRequest } from '../../engine/db/by-request.ts';
import type { Database } from '../../engine/db/client.ts';
import { explaining } from '../../engine/db/failures.ts';
import { columnsOf } from '../../engine/db/keyset.ts';
import { byId, type Page, type PageWindow, pages } from '../../engine/db/paging.ts';
import { type ExpectedVersion, hasExpected, isExpected, notExpected } from '../../engine/db/version.ts';
import { type Int64, ServiceError, validationFailed } from '../../engine/index.ts';
import { type PetStatus, pets } from '../pets/table.ts';
import { inventoryList } from './list.ts';
import { thenSetStatus } from './movement.ts';
import { inventory } from './table.ts';

/** The inventory entry of a pet whose stock is tracked. Its status is the pet's. */
export interface InventoryItem {
  readonly petId: Int64;
  readonly quantity: number;
  readonly status: PetStatus;
  /** The versions of its own row and of its pet. */
  readonly version: number;
  readonly petVersion: number;
  /** Whether this change created the entry. */
  readonly began?: boolean;
}

/** The version of an entry: a change of the entry or of its pet's status raises the sum. */
export function entryVersion({ version, petVersion }: Pick<InventoryItem, 'version' | 'petVersion'>): number {
  return version + petVersion;
}

export function inventoryStore(database: Database) {
  const { columns, from, where: counted } = inventoryList;
  const bothVersions = sql`${inventory.version} + ${pets.version}`;
  const selected = columnsOf(inventoryList);
  const petId = sql.placeholder('petId');
  const status = sql`${sql.placeholder('status')}::pet_status`;
  const isStatus = sql`coalesce(${status} = (select status from pets where id = ${petId}), true)`;
  const page = pages(database, inventoryList);

  const replace = database.statement(
    'inventory.replace',
    'write',
    sql`with before as (
        select ${inventory.quantity}, ${bothVersions} as version from ${from}
        where ${inventory.petId} = ${petId} for update of inventory for no key update of pets),
      seen as (select count(*) as rows, coalesce(max(version) filter (where quantity is not null), 0) as version
        from before),
      stock as (
        insert into inventory (pet_id, quantity)
        select ${petId}::bigint, ${sql.placeholder('quantity')}::integer from seen
        where ${isExpected(sql`seen.version`)} and ${isStatus}
        on conflict (pet_id) do update set quantity = excluded.quantity,
          version = inventory.version + (inventory.quantity is distinct from excluded.quantity)::integer
        where (select rows > 0 from seen) or ${sql.placeholder('expectedVersion')}::bigint[] is null
        returning pet_id, quantity, open_orders, version, xmax = 0 as is_new),
      ${thenSetStatus()}
      select stock.pet_id, stock.quantity, pet.after, stock.version, pet.version + (pet.before <> pet.after)::integer,
        coalesce((select quantity is null from before), stock.is_new), ${byRequest}
      from stock join pet on pet.id = stock.pet_id`,
    { ...columns, began: Boolean },
    { of: 'pet', by: 'petId' },
  );
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
        select ${selected} from ${from} where ${counted} and ${inventory.petId} = ${petId} and ${isExpected(sql`(${bothVersions})`)}
        for update of inventory for no key update of pets)
      update inventory set quantity = null, version = inventory.version + 1
      from before where inventory.pet_id = before.pet_id returning before.*, ${byRequest}`,
    columns,
    { of: 'pet', by: 'petId' },
  );

  const byPetId = byId(database, inventoryList) as Loader<Int64, InventoryItem>;

  return {
    byPetId,

    list: (filters: Parameters<typeof page>[0], window: PageWindow) =>
      page(filters, 'id', window) as Promise<Page<InventoryItem>>,

    /**
     * Creates the entry of a pet, or replaces its quantity. Rejects with NOT_FOUND if no pet has the id, and
     * VALIDATION_FAILED if a status is given that is not the current one. A pet without an entry has version 0.
     */
    async replaceStock(
      id: Int64,
      quantity: number,
      status: PetStatus | null | undefined,
      expectedVersion: ExpectedVersion,
      requestId?: string,
    ): Promise<InventoryItem> {
      const statusOf = database.bind(ofPet);
      const noPet = () => new ServiceError('NOT_FOUND', `No pet has the id ${id}.`);
      const [item] = await explaining(
        replace({ petId: id, quantity, status, expectedVersion, requestId }),
        (constraint) => (constraint === 'inventory_pet_id_pets_id_fk' ? noPet() : undefined),
      );
      if (item !== undefined) return item as InventoryItem;
      const [seen] = await statusOf({ petId: id });
      if (seen === undefined) throw noPet();
      if (hasExpected(seen, expectedVersion) && status != null && status !== seen.status)
        throw otherStatus(seen.status);
      throw notExpected(`The inventory entry of pet ${id}`, seen, expectedVersion);
    },

    /** Deletes the entry of a pet. Rejects with NOT_FOUND if there is none. */
    async stopTracking(id: Int64, expectedVersion: ExpectedVersion, requestId?: string): Promise<InventoryItem> {
      const read = database.bind(byPetId.load);
      const [stopped] = await stop({ petId: id, expectedVersion, requestId });
      if (stopped !== undefined) return stopped as InventoryItem;
      const item = await read(id);
      if (item === undefined) throw new ServiceError('NOT_FOUND', `Pet ${id} has no inventory entry.`);
      throw notExpected(`The inventory entry of pet ${id}`, { version: entryVersion(item) }, expectedVersion);
    },
  };
}

/** The error for a different status. Only stock movements set the status; a client may send back the current one. */
function otherStatus(status: PetStatus): ServiceError {
  const failure = (message: string) => validationFailed([{ path: ['status'], message }]);
  const toReaders = failure(`is read-only: it must be ${status}, as it is now, or be left out`).message;
  const error = failure("is read-only: it must be the pet's status of now, or be left out");
  return new ServiceError(error.kind, error.message, { validationErrors: error.validationErrors, toReaders });
}
