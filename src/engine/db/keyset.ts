import { type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { Int64 } from '../int64.ts';
import type { Place } from './cursor.ts';
import { jsonRows } from './json-rows.ts';

/** The part of a list that its SQL is made of. */
export interface ListSource {
  readonly columns: Readonly<Record<string, PgColumn>>;
  /** The table, with what is joined to it. */
  readonly from: SQL;
  /** What holds of every row of the list. */
  readonly where?: SQL;
  /** The key that ends every order, so that no two rows are at one place. */
  readonly id: PgColumn;
  /** The column of a joined table that is the same as the id, where there is one. */
  readonly joinedId?: PgColumn;
}

/**
 * A filter of rows whose column has one of some values. An index on the column and the id has the rows of each value in
 * the order of their ids.
 */
interface ValuesFilter {
  readonly column: PgColumn;
  /** The values, as an array. */
  readonly values: SQL;
}

/** A filter of rows that lie one beside the other in the order of some sorts. */
export interface RangeFilter {
  readonly condition: SQL;
  /** The names of these sorts. */
  readonly sorts: readonly string[];
}

/** A condition, or what one is made of. */
export type RowFilter = SQL | ValuesFilter | RangeFilter;

/** The condition that a filter stands for. */
export function conditionOf(filter: RowFilter): SQL {
  if (isOfValues(filter)) return sql`${filter.column} = any(${filter.values})`;
  return 'condition' in filter ? filter.condition : filter;
}

function isOfValues(filter: RowFilter): filter is ValuesFilter {
  return 'values' in filter;
}

/** The sorts of each list by its ids alone. */
const BY_ID: ReadonlySet<string> = new Set(['id', 'id_desc']);

/**
 * Whether no index has the rows of a page one beside the other and in their order, as one has them by their ids, by the values
 * of one column in the order of the ids, by a range in its own order, and without a filter.
 */
export function isSearch({ id }: Pick<ListSource, 'id'>, sortName: string, filters: readonly RowFilter[]): boolean {
  if (filters.some((filter) => isOfValues(filter) && filter.column === id)) return false;
  const [only, ...others] = filters.filter((filter) => !isInOrder(filter, sortName));
  return only !== undefined && (others.length > 0 || !isOfValues(only) || !BY_ID.has(sortName));
}

/** Whether the rows that pass lie one beside the other in the order of a sort. */
function isInOrder(filter: RowFilter, sortName: string): boolean {
  return 'condition' in filter && filter.sorts.includes(sortName);
}

/** A sort by something else than the id: an indexed expression, and what a remembered value of it is compared as. */
export interface KeysetSort {
  readonly by?: {
    readonly expression: SQL;
    readonly toComparable: (value: SQL) => SQL;
  };
  readonly descending: boolean;
}

/** Which rows of a list a page takes: `size` of them from one end of what lies between two places. */
export interface PageBounds {
  readonly size: number;
  readonly backward: boolean;
  readonly after: Place | undefined;
  readonly before: Place | undefined;
}

/** What of the bounds shows in the SQL; the rest are values. */
export function boundsShape({ backward, after, before }: PageBounds): string {
  return `${backward ? 'last' : 'first'}${after ? '/after' : ''}${before ? '/before' : ''}`;
}

/** Where a page lies: its bounds, and the parent whose rows it is of where the list is of one. */
interface PagePlace extends Pick<PageBounds, 'after' | 'before'> {
  readonly parent: Int64 | undefined;
}

/** The places of many pages as the placeholder `places` takes them. */
export function placesValue(places: readonly PagePlace[]): string {
  return JSON.stringify(
    places.map(({ parent, after, before }, key) => ({
      key,
      parent: asText(parent),
      afterId: asText(after?.id),
      afterValue: after?.value,
      beforeId: asText(before?.id),
      beforeValue: before?.value,
    })),
  );
}

const PLACES = sql`json_to_recordset(${sql.placeholder('places')}::text::json) as place(
  key integer, parent bigint, "afterId" bigint, "afterValue" text, "beforeId" bigint, "beforeValue" text)`;

const LIMIT = sql.placeholder('limit');

/** How many pages one statement reads. */
export const MAX_PAGES = 50;

/**
 * Reads a page for each of the places, all with one statement: its key among them, and its rows, as many as the
 * placeholder `limit` says.
 *
 * @param filters what its rows pass
 * @param parent the column that refers to the parent, for a list of rows of a parent, which is in the order of the ids
 * @param searchedBy the sort's name where it is a search, as `isSearch` has it
 */
export function pagesQuery(
  source: ListSource,
  sort: KeysetSort,
  bounds: Pick<PageBounds, 'backward' | 'after' | 'before'>,
  filters: readonly RowFilter[],
  parent: PgColumn | undefined,
  searchedBy: string | undefined,
): SQL {
  const page =
    parent !== undefined
      ? alikeQuery(source, sort, bounds, parent, sql`place.parent`)
      : searchedBy !== undefined
        ? searchQuery(source, sort, bounds, filters, searchedBy)
        : rootQuery(source, sort, bounds, filters);
  return sql`select place.key, ${jsonRows(source.columns, page)} from ${PLACES}`;
}

function rootQuery(
  source: ListSource,
  sort: KeysetSort,
  bounds: Pick<PageBounds, 'backward' | 'after' | 'before'>,
  filters: readonly RowFilter[],
): SQL {
  const [only] = filters;
  if (only !== undefined && isOfValues(only) && only.column !== source.id) {
    return mergedQuery(source, sort, bounds, only);
  }
  const conditions = [...filters.map(conditionOf), ...placeConditions(source, sort, bounds)];
  return rowsQuery(source, conditions, orderBy(source, sort, bounds));
}

function rowsQuery(source: ListSource, conditions: readonly SQL[], order: SQL): SQL {
  return sql`select ${columnsOf(source)} from ${source.from} ${whereAll([...always(source), ...conditions])}
    order by ${order} limit ${LIMIT}`;
}

function columnsOf({ columns }: ListSource): SQL {
  return sql.join(Object.values(columns), sql`, `);
}

/**
 * How many rows a search looks at in the order of its list before it goes by its filters: for each row of the page, and at
 * least.
 */
const LOOKED_AT = sql`greatest(2500, 125 * ${LIMIT}::integer)`;

/**
 * A page that no index has. Rows that many pass are soon found among the first in the order of the list; where they are not,
 * few pass, or they lie elsewhere: then an index of a filter finds all of them, to be sorted. PostgreSQL would choose one way
 * by what it expects, and look through the whole list for what is not there.
 */
function searchQuery(
  source: ListSource,
  sort: KeysetSort,
  bounds: Pick<PageBounds, 'backward' | 'after' | 'before'>,
  filters: readonly RowFilter[],
  sortName: string,
): SQL {
  const names = sql.join(
    Object.keys(source.columns).map((_, index) => sql.identifier(`s${index}`)),
    sql`, `,
  );
  const ranges = filters.filter((filter) => isInOrder(filter, sortName)).map(conditionOf);
  const others = filters.filter((filter) => !isInOrder(filter, sortName)).map(conditionOf);
  const inOrder = [...always(source), ...ranges, ...placeConditions(source, sort, bounds)];
  const passes = sql.join(others, sql` and `);
  const row = sql`${columnsOf(source)}, ${sort.by?.expression ?? sql`null`}, ${source.id}`;
  const inDirection = sql`order by key ${direction(sort, bounds)}, id ${direction(sort, bounds)}`;
  return sql`with near as materialized (
        select ${names}, key, id from (
          select ${row}, (${passes}) from ${source.from} ${whereAll(inOrder)}
          order by ${orderBy(source, sort, bounds)} limit ${LOOKED_AT}
        ) as looked (${names}, key, id, passes)
        where passes limit ${LIMIT}),
      enough as materialized (select count(*) >= ${LIMIT} as is_so from near)
    (select ${names} from near where (select is_so from enough) ${inDirection})
    union all
    (select ${names} from (
        select ${row} from ${source.from} ${whereAll([passes, ...inOrder])} offset 0
      ) as passing (${names}, key, id)
      where not (select is_so from enough) ${inDirection} limit ${LIMIT})`;
}

/**
 * A page in the order of the ids, of the rows whose column has the value. PostgreSQL would often rather follow the ids and
 * look at each row for the value, as if the rows that have it lay evenly among the others: where they all lie at the far end,
 * or there is none, it would read the whole table. The column in the order, and in no plain equality, leaves it no choice but
 * the index on the column and the id, in which the page's place is one of ids alone: beside the value, PostgreSQL begins no
 * scan at a pair of both.
 */
function alikeQuery(
  source: ListSource,
  sort: KeysetSort,
  bounds: Pick<PageBounds, 'backward' | 'after' | 'before'>,
  column: PgColumn,
  value: SQL,
): SQL {
  const all = [sql`${column} = any(array[${value}])`, ...placeConditions(source, sort, bounds)];
  return rowsQuery(source, all, sql`${column} ${direction(sort, bounds)}, ${orderBy(source, sort, bounds)}`);
}

/**
 * A page in the order of the ids, merged of a page for each value of the only filter. Beside another filter, that would have
 * PostgreSQL misjudge how many rows pass.
 */
function mergedQuery(
  source: ListSource,
  sort: KeysetSort,
  bounds: Pick<PageBounds, 'backward' | 'after' | 'before'>,
  { column, values }: ValuesFilter,
): SQL {
  const ofOne = alikeQuery(source, sort, bounds, column, sql`given.value`);
  const columns = Object.values(source.columns);
  const names = columns.map((_, index) => sql.identifier(`m${index}`));
  return sql`select merged.* from (select distinct unnest(${values}) as value) as given
    cross join lateral (${ofOne}) as merged(${sql.join(names, sql`, `)})
    order by ${names[columns.indexOf(source.id)]} ${direction(sort, bounds)} limit ${LIMIT}`;
}

/** What holds of every row of a list, where something does. */
export function always({ where }: Pick<ListSource, 'where'>): readonly SQL[] {
  return where === undefined ? [] : [where];
}

/** The where clause of all the conditions; nothing for none. */
export function whereAll(conditions: readonly SQL[]): SQL {
  return conditions.length === 0 ? sql`` : sql`where ${sql.join([...conditions], sql` and `)}`;
}

function placeConditions(
  source: ListSource,
  sort: KeysetSort,
  { after, before }: Pick<PageBounds, 'after' | 'before'>,
): SQL[] {
  const [later, earlier] = sort.descending ? [sql`<`, sql`>`] : [sql`>`, sql`<`];
  const tuples = [sortTuple(source, sort)];
  // PostgreSQL infers no range from an equality: a merge join would read the joined table from its end to the place.
  if (source.joinedId !== undefined && sort.by === undefined) tuples.push(sql`${source.joinedId}`);
  return [
    ...(after === undefined ? [] : tuples.map((tuple) => sql`${tuple} ${later} ${placeTuple(sort, 'after')}`)),
    ...(before === undefined ? [] : tuples.map((tuple) => sql`${tuple} ${earlier} ${placeTuple(sort, 'before')}`)),
  ];
}

function sortTuple(source: ListSource, { by }: KeysetSort): SQL {
  return by === undefined ? sql`${source.id}` : sql`(${by.expression}, ${source.id})`;
}

function placeTuple({ by }: KeysetSort, side: 'after' | 'before'): SQL {
  const id = sql`place.${sql.identifier(`${side}Id`)}`;
  if (by === undefined) return id;
  return sql`(${by.toComparable(sql`place.${sql.identifier(`${side}Value`)}`)}, ${id})`;
}

/** A backward page is read from its end, and turned round afterwards. */
function orderBy(source: ListSource, sort: KeysetSort, bounds: Pick<PageBounds, 'backward'>): SQL {
  const way = direction(sort, bounds);
  const id = sql`${source.id} ${way}`;
  return sort.by === undefined ? id : sql`${sort.by.expression} ${way}, ${id}`;
}

function direction({ descending }: KeysetSort, { backward }: Pick<PageBounds, 'backward'>): SQL {
  return descending === backward ? sql`asc` : sql`desc`;
}

function asText(id: Int64 | undefined): string | undefined {
  return id === undefined ? undefined : String(id);
}
