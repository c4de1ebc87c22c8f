import { getTableColumns, sql } from 'drizzle-orm';
import { coalesce } from '../../db/batch.ts';
import type { Database } from '../../db/client.ts';
import { namePrefix } from '../../db/name-order.ts';
import { type PageWindow, pages } from '../../db/paging.ts';
import { explaining } from '../../db/violations.ts';
import { ServiceError } from '../../errors.ts';
import type { Int64 } from '../../int64.ts';
import { CATEGORY_LENGTHS, type Category, categories } from './table.ts';

export interface CategoryFields {
  readonly name: string;
  readonly description?: string | null | undefined;
}

export interface CategoryFilters {
  readonly id?: readonly Int64[] | null | undefined;
  readonly name?: string | null | undefined;
}

export type CategoryStore = ReturnType<typeof categoryStore>;

/** Categories in the database. What names no category rejects with NOT_FOUND, but for `byId`. */
export function categoryStore(database: Database) {
  const columns = getTableColumns(categories);
  const page = pages(database, {
    name: 'categories',
    columns,
    from: sql`${categories}`,
    id: categories.id,
    idOf: (row: Category) => row.id,
    filters: {
      id: sql`${categories.id} = any(${sql.placeholder('id')}::bigint[])`,
      name: namePrefix(categories.name, CATEGORY_LENGTHS.name),
    },
    sorts: { id: { descending: false } },
  });

  const byKeys = database.statement(
    'categories.byKeys',
    sql`select ${sql.join(Object.values(columns), sql`, `)} from ${categories}
      where ${categories.id} = any(${sql.placeholder('ids')}::bigint[])`,
    columns,
  );
  const insert = database.statement(
    'categories.insert',
    sql`insert into categories (name, description)
      values (${sql.placeholder('name')}, ${sql.placeholder('description')}) returning id, name, description`,
    columns,
  );
  const update = database.statement(
    'categories.replace',
    sql`update categories set name = ${sql.placeholder('name')}, description = ${sql.placeholder('description')}
      where id = ${sql.placeholder('id')} returning id, name, description`,
    columns,
  );
  const remove = database.statement(
    'categories.delete',
    sql`delete from categories where id = ${sql.placeholder('id')} returning id, name, description`,
    columns,
  );

  return {
    byId: coalesce(
      database,
      'categories.byKeys',
      (ids: readonly Int64[]) => byKeys({ ids }),
      (row) => row.id,
    ),

    list: (filters: CategoryFilters, window: PageWindow) => page('id', filters, window),

    async create({ name, description }: CategoryFields): Promise<Category> {
      const [created] = await insert({ name, description });
      return created as Category;
    },

    async replace(id: Int64, { name, description }: CategoryFields): Promise<Category> {
      const [replaced] = await update({ id, name, description });
      return replaced ?? noCategory(id);
    },

    /** Rejects with CONFLICT while pets belong to it. */
    async delete(id: Int64): Promise<Category> {
      const [removed] = await explaining(remove({ id }), {
        pets_category_id_categories_id_fk: () =>
          new ServiceError('CONFLICT', `Category ${id} cannot be deleted while pets belong to it.`),
      });
      return removed ?? noCategory(id);
    },
  };
}

function noCategory(id: Int64): never {
  throw new ServiceError('NOT_FOUND', `No category has the id ${id}.`);
}
