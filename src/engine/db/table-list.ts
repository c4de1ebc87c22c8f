import { getTableColumns, getTableName, is, sql } from 'drizzle-orm';
import { PgArray, PgColumn, type PgTable } from 'drizzle-orm/pg-core';
import type { Int64 } from '../int64.ts';
import { isInteger, typeOf } from './columns.ts';
import type { List, RowFilter, Sort } from './list.ts';
import type { RowOf } from './row.ts';

type TableWithId = PgTable & { readonly id: PgColumn };

const BY_ID = { id: { descending: false }, id_desc: { descending: true } } as const;

/** A filter, or a function that makes it from its name; a column filters for rows with one of several values. */
type TableFilter = RowFilter | PgColumn | ((name: string) => RowFilter);

interface TableListOptions<T extends TableWithId, Filter extends string, SortName extends string> {
  readonly filters?: Readonly<Record<Filter, TableFilter>>;
  readonly sorts?: Readonly<Record<SortName, Sort<RowOf<T['_']['columns']>>>>;
}

/**
 * The list of a table's rows, under the table's name. Every such list has the filter `id` and the sorts `id` and
 * `id_desc`; the options add those that an index serves.
 *
 * @example
 * const bookList = tableList(books, { filters: { authorId: books.authorId }, sorts: nameSorts(books.name) });
 */
export function tableList<T extends TableWithId, Filter extends string = never, SortName extends string = never>(
  table: T,
  { filters, sorts }: TableListOptions<T, Filter, SortName> = {},
): List<T['_']['columns'], Filter | 'id', SortName | 'id' | 'id_desc'> {
  const allFilters = Object.entries<TableFilter>({ id: table.id, ...filters }).map(([name, filter]) => {
    const made = typeof filter === 'function' ? filter(name) : filter;
    return [name, is(made, PgColumn) ? anyOf(name, made) : made] as const;
  });
  return {
    name: getTableName(table),
    columns: getTableColumns(table),
    from: sql`${table}`,
    tables: [table],
    id: table.id,
    idOf: (row) => row.id as Int64,
    filters: Object.fromEntries(allFilters) as Record<Filter | 'id', RowFilter>,
    sorts: { ...BY_ID, ...sorts } as typeof BY_ID & NonNullable<typeof sorts>,
  };
}

function anyOf(name: string, column: PgColumn): RowFilter {
  if (is(column, PgArray)) throw new Error(`The filter ${name} needs a condition, because ${column.name} is a list.`);
  // No row has a value that is out of range for its column.
  const type = isInteger(column) ? sql`bigint` : typeOf(column);
  return { column, values: sql`${sql.placeholder(name)}::${type}[]` };
}
