import type { Database } from '../../engine/db/client.ts';
import { versionedStore } from '../../engine/db/versioned-store.ts';
import { categoryList } from './list.ts';
import { categories } from './table.ts';

export type CategoryStore = ReturnType<typeof categoryStore>;

/** Categories in the database. */
export function categoryStore(database: Database) {
  return versionedStore(database, {
    table: categories,
    list: categoryList,
    one: 'category',
    keptBy: { pets_category_id_categories_id_fk: 'while pets belong to it' },
  });
}
