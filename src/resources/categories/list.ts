import { getTableColumns, sql } from 'drizzle-orm';
import { namePrefix } from '../../db/name-order.ts';
import type { ListPlan } from '../../db/paging.ts';
import type { Int64 } from '../../int64.ts';
import { CATEGORY_LENGTHS, categories } from './table.ts';

export interface CategoryFilters {
  readonly id?: readonly Int64[] | null | undefined;
  readonly name?: string | null | undefined;
}

/** The list of categories. */
export const categoryList: ListPlan<typeof categories._.columns, keyof CategoryFilters, 'id'> = {
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
  sorts: { id: { descending: false } },
};
