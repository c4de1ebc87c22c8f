import type { Database } from '../../engine/db/client.ts';
import { namePrefix, nameSorts } from '../../engine/db/name-order.ts';
import { tableList } from '../../engine/db/table-list.ts';
import { versionedStore } from '../../engine/db/versioned-store.ts';
import { CATEGORY_LENGTHS, categories } from './table.ts';

export const categoryList = tableList(categories, {
  filters: { name: namePrefix(categories.name, CATEGORY_LENGTHS.name.max) },
  sorts: nameSorts(categories.name),
});

export function categoryStore(database: Database) {
  return versionedStore(database, {
    table: categories,
    list: categoryList,
    one: 'category',
    keptBy: { pets_category_id_categories_id_fk: 'while pets belong to it' },
  });
}
