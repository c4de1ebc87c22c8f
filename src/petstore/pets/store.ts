import { sql } from 'drizzle-orm';
import { coalesce, gatherWrites } from '../../engine/db/batch.ts';
import type { Database } from '../../engine/db/client.ts';
import { nestedPages, type PageWindow, pages } from '../../engine/db/paging.ts';
import { integer } from '../../engine/db/row.ts';
import { changesOf, type ExpectedVersion, isExpected, notExpected } from '../../engine/db/version.ts';
import { explaining } from '../../engine/db/violations.ts';
import { ServiceError } from '../../engine/errors.ts';
import type { Int64 } from '../../engine/int64.ts';
import { type PetFilters, type PetSort, petList } from './list.ts';
import { type Pet, type PetStatus, pets } from './table.ts';

interface PetFields {
  readonly name: string;
  readonly categoryId: Int64;
  readonly status?: PetStatus | null | undefined;
}

type NewPet = PetFields & { readonly status: PetStatus };

export interface PetChanges {
  readonly name?: string | null | undefined;
  readonly categoryId?: Int64 | null | undefined;
  readonly status?: PetStatus | null | undefined;
}

export type PetStore = ReturnType<typeof petStore>;

/** Pets in the database. What names no pet rejects with NOT_FOUND, but for `byId`. */
export function petStore(database: Database) {
  const { columns } = petList;
  const selected = sql.join(Object.values(columns), sql`, `);
  const id = sql.placeholder('id');
  const page = pages(database, petList);

  const byKeys = database.statement(
    'pets.byKeys',
    'lookup',
    sql`select ${selected} from ${pets} where ${pets.id} = any(${sql.placeholder('ids')}::bigint[])`,
    columns,
  );
  const insert = database.statement(
    'pets.insert',
    'write',
    sql`insert into pets (name, category_id, status)
      values (${sql.placeholder('name')}, ${sql.placeholder('categoryId')}, ${sql.placeholder('status')})
      returning ${selected}`,
    columns,
  );
  // A pet whose category is not there, or just being deleted, is left out: it is inserted on its own, and told why not.
  const insertMany = database.statement(
    'pets.insertMany',
    'write',
    sql`with given as (
        select nextval('pets_id_seq') as id, item.* from json_to_recordset(${sql.placeholder('pets')}::text::json)
          as item(place integer, name text, "categoryId" bigint, status pet_status)),
      known as (
        select id from categories where id = any(array(select "categoryId" from given)) order by id for key share skip locked),
      inserted as (
        insert into pets (id, name, category_id, status)
        select given.id, given.name, given."categoryId", given.status
        from given join known on known.id = given."categoryId" returning ${selected})
      select given.place, inserted.* from inserted join given using (id)`,
    { place: integer, ...columns },
  );
  const given = {
    name: sql`coalesce(${sql.placeholder('name')}, name)`,
    categoryId: sql`coalesce(${sql.placeholder('categoryId')}, category_id)`,
    status: sql`coalesce(${sql.placeholder('status')}, status)`,
  };
  const update = database.statement(
    'pets.update',
    'write',
    sql`update pets set
        name = ${given.name}, category_id = ${given.categoryId}, status = ${given.status},
        version = version + ${changesOf([pets.name, given.name], [pets.categoryId, given.categoryId], [pets.status, given.status])}
      where id = ${id} and ${isExpected(pets.version)} returning ${selected}`,
    columns,
    { of: 'pet', by: 'id' },
  );
  // The stock first and then the pet, as an order does it: two that take their locks in one order never wait in a circle.
  const remove = database.statement(
    'pets.delete',
    'write',
    sql`with stock as (select from inventory where pet_id = ${id} for update)
      delete from pets where id = ${id} and (select count(*) from stock) >= 0 and ${isExpected(pets.version)}
      returning ${selected}`,
    columns,
    { of: 'pet', by: 'id' },
  );

  const create = gatherWrites<NewPet, Pet>(
    database,
    'pets.insert',
    (fresh) => insertMany({ pets: fresh }),
    insertAlone,
  );

  async function insertAlone(pet: NewPet): Promise<Pet> {
    const [created] = await explaining(insert({ ...pet }), unknownCategory(pet.categoryId));
    return created as Pet;
  }

  const byKey = coalesce(
    database,
    'pets.byKeys',
    (ids: readonly Int64[]) => byKeys({ ids }),
    (row) => row.id,
  );

  return {
    byId: byKey,

    list: (filters: PetFilters, sort: PetSort, window: PageWindow) => page(sort, filters, window),

    listOfCategory: nestedPages(database, petList, pets.categoryId),

    /** Rejects with UNKNOWN_REFERENCE when no category has the id. */
    create: ({ name, categoryId, status }: PetFields): Promise<Pet> =>
      create({ name, categoryId, status: status ?? 'available' }),

    /** What is left out is back at its default. Rejects with UNKNOWN_REFERENCE when no category has the id. */
    async replace(
      petId: Int64,
      { name, categoryId, status }: PetFields,
      expectedVersion: ExpectedVersion,
    ): Promise<Pet> {
      const otherwise = whyUnchanged(petId, expectedVersion);
      const write = update({ id: petId, name, categoryId, status: status ?? 'available', expectedVersion });
      const [replaced] = await explaining(write, unknownCategory(categoryId));
      return replaced ?? otherwise();
    },

    /** What is left out stays. Rejects with UNKNOWN_REFERENCE when no category has the id. */
    async update(
      petId: Int64,
      { name, categoryId, status }: PetChanges,
      expectedVersion: ExpectedVersion,
    ): Promise<Pet> {
      const otherwise = whyUnchanged(petId, expectedVersion);
      const write = update({ id: petId, name, categoryId, status, expectedVersion });
      const [updated] = await explaining(write, unknownCategory(categoryId));
      return updated ?? otherwise();
    },

    /** Removes its inventory entry too. Rejects with CONFLICT while it has orders. */
    async delete(petId: Int64, expectedVersion: ExpectedVersion): Promise<Pet> {
      const otherwise = whyUnchanged(petId, expectedVersion);
      const [removed] = await explaining(remove({ id: petId, expectedVersion }), {
        orders_pet_id_pets_id_fk: () =>
          new ServiceError('CONFLICT', `Pet ${petId} cannot be deleted while it has orders.`),
      });
      return removed ?? otherwise();
    },
  };

  /** Tells why a write found no pet that it may change. */
  function whyUnchanged(petId: Int64, expected: ExpectedVersion): () => Promise<never> {
    return database.bind(async () => {
      const pet = await byKey.one(petId);
      if (pet === undefined) throw new ServiceError('NOT_FOUND', `No pet has the id ${petId}.`);
      throw notExpected(`Pet ${petId}`, pet, expected);
    });
  }
}

function unknownCategory(categoryId: Int64 | null | undefined) {
  return {
    pets_category_id_categories_id_fk: () =>
      new ServiceError('UNKNOWN_REFERENCE', `categoryId ${categoryId} is not the id of a category.`),
  };
}
