import { sql } from 'drizzle-orm';
import type { Database } from '../../engine/db/client.ts';
import { nestedPages } from '../../engine/db/paging.ts';
import { versionedStore } from '../../engine/db/versioned-store.ts';
import { petList } from './list.ts';
import { pets } from './table.ts';

export type PetStore = ReturnType<typeof petStore>;

/** Pets in the database. A pet that is deleted takes its inventory entry along. */
export function petStore(database: Database) {
  return {
    ...versionedStore(database, {
      table: pets,
      list: petList,
      one: 'pet',
      references: { categoryId: 'a category' },
      keptBy: { orders_pet_id_pets_id_fk: 'while it has orders' },
      // The stock first and then the pet, as an order does it.
      lockedFirst: sql`select from inventory where pet_id = ${sql.placeholder('id')} for update`,
    }),
    listOfCategory: nestedPages(database, petList, pets.categoryId),
  };
}
