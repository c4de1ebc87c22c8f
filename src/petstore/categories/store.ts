import { sql } from 'drizzle-orm';
import { coalesce } from '../../engine/db/batch.ts';
import type { Database } from '../../engine/db/client.ts';
import { type PageWindow, pages } from '../../engine/db/paging.ts';
import { changesOf, type ExpectedVersion, isExpected, notExpected } from '../../engine/db/version.ts';
import { explaining } from '../../engine/db/violations.ts';
import { ServiceError } from '../../engine/errors.ts';
import type { Int64 } from '../../engine/int64.ts';
import { type CategoryFilters, type CategorySort, categoryList } from './list.ts';
import { type Category, categories } from './table.ts';

interface CategoryFields {
  readonly name: string;
  readonly description?: string | null | undefined;
}

export interface CategoryChanges {
  readonly name?: string | null | undefined;
  /** null removes it. */
  readonly description?: string | null | undefined;
}

export type CategoryStore = ReturnType<typeof categoryStore>;

/** Categories in the database. What names no category rejects with NOT_FOUND, but for `byId`. */
export function categoryStore(database: Database) {
  const { columns } = categoryList;
  const selected = sql.join(Object.values(columns), sql`, `);
  const id = sql.placeholder('id');
  const page = pages(database, categoryList);

  const byKeys = database.statement(
    'categories.byKeys',
    'lookup',
    sql`select ${selected} from ${categories}
      where ${categories.id} = any(${sql.placeholder('ids')}::bigint[])`,
    columns,
  );
  const insert = database.statement(
    'categories.insert',
    'write',
    sql`insert into categories (name, description)
      values (${sql.placeholder('name')}, ${sql.placeholder('description')}) returning ${selected}`,
    columns,
  );
  const given = {
    name: sql`coalesce(${sql.placeholder('name')}, name)`,
    description: sql`case when ${sql.placeholder('setsDescription')}::boolean then ${sql.placeholder('description')}::text
      else description end`,
  };
  const update = database.statement(
    'categories.update',
    'write',
    sql`update categories set
        name = ${given.name}, description = ${given.description},
        version = version + ${changesOf([categories.name, given.name], [categories.description, given.description])}
      where id = ${id} and ${isExpected(categories.version)} returning ${selected}`,
    columns,
    { of: 'category', by: 'id' },
  );
  const remove = database.statement(
    'categories.delete',
    'write',
    sql`delete from categories where id = ${id} and ${isExpected(categories.version)} returning ${selected}`,
    columns,
    { of: 'category', by: 'id' },
  );

  const byKey = coalesce(
    database,
    'categories.byKeys',
    (ids: readonly Int64[]) => byKeys({ ids }),
    (row) => row.id,
  );

  return {
    byId: byKey,

    list: (filters: CategoryFilters, sort: CategorySort, window: PageWindow) => page(sort, filters, window),

    async create({ name, description }: CategoryFields): Promise<Category> {
      const [created] = await insert({ name, description });
      return created as Category;
    },

    /** What is left out is gone. */
    async replace(
      categoryId: Int64,
      { name, description }: CategoryFields,
      expectedVersion: ExpectedVersion,
    ): Promise<Category> {
      const values = { id: categoryId, name, description, setsDescription: true, expectedVersion };
      const otherwise = whyUnchanged(categoryId, expectedVersion);
      const [replaced] = await update(values);
      return replaced ?? otherwise();
    },

    /** What is left out stays. */
    async update(
      categoryId: Int64,
      { name, description }: CategoryChanges,
      expectedVersion: ExpectedVersion,
    ): Promise<Category> {
      const values = { id: categoryId, name, description, setsDescription: description !== undefined, expectedVersion };
      const otherwise = whyUnchanged(categoryId, expectedVersion);
      const [updated] = await update(values);
      return updated ?? otherwise();
    },

    /** Rejects with CONFLICT while pets belong to it. */
    async delete(categoryId: Int64, expectedVersion: ExpectedVersion): Promise<Category> {
      const otherwise = whyUnchanged(categoryId, expectedVersion);
      const [removed] = await explaining(remove({ id: categoryId, expectedVersion }), {
        pets_category_id_categories_id_fk: () =>
          new ServiceError('CONFLICT', `Category ${categoryId} cannot be deleted while pets belong to it.`),
      });
      return removed ?? otherwise();
    },
  };

  /** Tells why a write found no category that it may change. */
  function whyUnchanged(categoryId: Int64, expected: ExpectedVersion): () => Promise<never> {
    return database.bind(async () => {
      const category = await byKey.one(categoryId);
      if (category === undefined) throw new ServiceError('NOT_FOUND', `No category has the id ${categoryId}.`);
      throw notExpected(`Category ${categoryId}`, category, expected);
    });
  }
}
