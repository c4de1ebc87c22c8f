import { type SQL, sql } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import type { Int64 } from '../int64.ts';
import type { RowOf } from './row.ts';

type Columns = Readonly<Record<string, PgColumn>>;

/** A list: its rows, and each filter and sort that an index serves. */
export interface List<C extends Columns = Columns, Filter extends string = string, SortName extends string = string> {
  readonly name: string;
  readonly columns: C;
  readonly from: SQL;
  readonly tables: readonly PgTable[];
  readonly where?: SQL;
  /** The last key of every order, so that no two rows have the same position. */
  readonly id: PgColumn;
  /** The column of a joined table that equals the id, if any. */
  readonly joinedId?: PgColumn;
  /** Each filter's placeholder has the name of the filter. */
  readonly filters: Readonly<Record<Filter, RowFilter>>;
  readonly sorts: Readonly<Record<SortName, Sort<RowOf<C>>>>;
  idOf(row: RowOf<C>): Int64;
  /** The tables that are enough to count it with these filters; by default all of `from`. */
  countFrom?(filters: readonly Filter[]): SQL;
}

/** Rows with one of several values. An index on the column and the id has those of each value in the order of ids. */
export interface ValuesFilter {
  readonly column: PgColumn;
  /** An array. */
  readonly values: SQL;
}

/** Rows whose expression is in a range. */
interface RangeFilter {
  readonly expression: SQL;
  readonly from?: SQL;
  /** The end of the range, which is not in it. */
  readonly until?: SQL;
  /** The names of the sorts by the expression. */
  readonly sorts: readonly string[];
}

export type RowFilter = ValuesFilter | { readonly condition: SQL } | RangeFilter;

export function conditionOf(filter: RowFilter): SQL {
  if ('column' in filter) return sql`${filter.column} = any(${filter.values})`;
  if ('condition' in filter) return filter.condition;
  const { expression, from, until } = filter;
  const bounds = [from && sql`${expression} >= ${from}`, until && sql`${expression} < ${until}`];
  const given = bounds.filter((bound) => bound !== undefined);
  return sql.join(given, sql` and `);
}

/**
 * Whether no index serves a page: none has its rows adjacent and in order. An index has them so without a filter, by
 * id, by the values of one column in the order of the ids, and by a range in its own order.
 */
export function isUnindexed({ id }: Pick<List, 'id'>, sortName: string, filters: readonly RowFilter[]): boolean {
  if (filters.some((filter) => 'column' in filter && filter.column === id)) return false;
  const [only, ...others] = filters.filter((filter) => !isInOrder(filter, sortName));
  const isById = sortName === 'id' || sortName === 'id_desc';
  return only !== undefined && (others.length > 0 || !('column' in only) || !isById);
}

export function isInOrder(filter: RowFilter, sortName: string): filter is RangeFilter {
  return 'expression' in filter && filter.sorts.includes(sortName);
}

export interface Sort<Row> {
  /** An indexed expression, never null, and its value in a cursor, as a text; undefined for a sort by id. */
  readonly by?: {
    readonly expression: SQL;
    valueOf(row: Row): string;
    readonly isValue: (text: string) => boolean;
    readonly toComparable: (value: SQL) => SQL;
  };
  readonly descending: boolean;
}

export function columnsOf({ columns }: Pick<List, 'columns'>): SQL {
  return sql.join(Object.values(columns), sql`, `);
}

export function whereAll({ where }: Pick<List, 'where'>, conditions: readonly SQL[]): SQL {
  const all = where === undefined ? [...conditions] : [where, ...conditions];
  return all.length === 0 ? sql`` : sql`where ${sql.join(all, sql` and `)}`;
}
