import { getTableColumns, sql } from 'drizzle-orm';
import { namePrefix, nameSorts } from '../../engine/db/name-order.ts';
import type { ListPlan } from '../../engine/db/paging.ts';
import { PET_NAME_LENGTH, type Pet, pets } from './table.ts';

type PetFilter = 'id' | 'status' | 'categoryId' | 'name';

type PetSort = 'id' | 'id_desc' | 'name' | 'name_desc';

/** The list of pets. */
export const petList: ListPlan<typeof pets._.columns, PetFilter, PetSort> = {
  name: 'pets',
  columns: getTableColumns(pets),
  from: sql`${pets}`,
  tables: [pets],
  id: pets.id,
  idOf: (pet) => pet.id,
  filters: {
    id: { column: pets.id, values: sql`${sql.placeholder('id')}::bigint[]` },
    status: { column: pets.status, values: sql`${sql.placeholder('status')}::pet_status[]` },
    categoryId: { column: pets.categoryId, values: sql`${sql.placeholder('categoryId')}::bigint[]` },
    name: namePrefix(pets.name, PET_NAME_LENGTH),
  },
  sorts: { id: { descending: false }, id_desc: { descending: true }, ...nameSorts<Pet>(pets.name) },
};
