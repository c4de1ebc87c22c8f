import type { Database } from '../../engine/db/client.ts';
import { namePrefix, nameSorts } from '../../engine/db/name-order.ts';
import { nestedPages } from '../../engine/db/paging.ts';
import { tableList } from '../../engine/db/table-list.ts';
import { versionedStore } from '../../engine/db/versioned-store.ts';
import { PET_NAME_LENGTH, pets } from './table.ts';

export const petList = tableList(pets, {
  filters: {
    status: pets.status,
    categoryId: pets.categoryId,
    name: namePrefix(pets.name, PET_NAME_LENGTH.max),
  },
  sorts: nameSorts(pets.name),
});

/** Deleting a pet deletes its inventory entry, too. */
export function petStore(database: Database) {
  return {
    ...versionedStore(database, {
      table: pets,
      list: petList,
      one: 'pet',
      references: { categoryId: 'a category' },
      keptBy: { orders_pet_id_pets_id_fk: 'while it has orders' },
    }),
    listOfCategory: nestedPages(database, petList, pets.categoryId),
  };
}
