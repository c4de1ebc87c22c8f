import { getTableColumns, sql } from 'drizzle-orm';
import { namePrefix, nameSorts } from '../../engine/db/name-order.ts';
import type { ListPlan } from '../../engine/db/paging.ts';
import { CATEGORY_LENGTHS, type Category, categories } from './table.ts';

type CategoryFilter = 'id' | 'name';

type CategorySort = 'id' | 'id_desc' | 'name' | 'name_desc';

/** The list of categories. */
export const categoryList: ListPlan<typeof categories._.columns, CategoryFilter, CategorySort> = {
  name: 'categories',
  columns: getTableColumns(categories),
  from: sql`${categories}`,
  tables: [categories],
  id: categories.id,
  idOf: (category) => category.id,
  filters: {
    id: { column: categories.id, values: sql`${sql.placeholder('id')}::bigint[]` },
    name: namePrefix(categories.name, CATEGORY_LENGTHS.name),
  },
  sorts: { id: { descending: false }, id_desc: { descending: true }, ...nameSorts<Category>(categories.name) },
};
