import { type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { Int64 } from '../int64.ts';
import type { ListPosition } from './cursor.ts';
import {
  columnsOf,
  conditionOf,
  isInOrder,
  isUnindexed,
  type List,
  type RowFilter,
  type Sort,
  type ValuesFilter,
  whereAll,
} from './list.ts';
import { recordRows } from './record-rows.ts';

/** The rows of a page lie between the two positions. */
export interface PageBounds {
  readonly size: number;
  readonly backward: boolean;
  readonly after: ListPosition | undefined;
  readonly before: ListPosition | undefined;
}

/** Identifies the SQL of a page with these bounds; what else differs are parameters. */
export function boundsShape({ backward, after, before }: PageBounds): string {
  return `${backward ? 'last' : 'first'}${after ? '/after' : ''}${before ? '/before' : ''}`;
}

/** The SQL depends on which positions its bounds have, not on their values. */
interface PageQuery {
  readonly list: List;
  readonly sortName: string;
  readonly sort: Sort<never>;
  readonly filters: readonly RowFilter[];
  readonly bounds: Omit<PageBounds, 'size'>;
  /** The column that refers to the parent, for a list within a parent, which is in the order of the ids. */
  readonly parent: PgColumn | undefined;
}

/** The value of the placeholder `positions`. */
export function positionsValue(
  positions: readonly { readonly bounds: Omit<PageBounds, 'size'>; readonly parentId: Int64 | undefined }[],
): string {
  return JSON.stringify(
    positions.map(({ parentId, bounds: { after, before } }, key) => ({
      key,
      parent: parentId?.toString(),
      afterId: after?.id.toString(),
      afterValue: after?.value,
      beforeId: before?.id.toString(),
      beforeValue: before?.value,
    })),
  );
}

const POSITIONS = sql`json_to_recordset(${sql.placeholder('positions')}::text::json) as requested(
  key integer, parent bigint, "afterId" bigint, "afterValue" text, "beforeId" bigint, "beforeValue" text)`;

const LIMIT = sql.placeholder('limit');

export const MAX_PAGES = 50;

/** Reads up to `MAX_PAGES` pages: the index of each in `positions`, and its rows, at most the placeholder `limit`. */
export function pagesQuery(page: PageQuery): SQL {
  return sql`select requested.key, ${recordRows(pageQuery(page))} from ${POSITIONS}`;
}

function pageQuery(page: PageQuery): SQL {
  const { list, sortName, filters, parent } = page;
  if (parent !== undefined) return byValueQuery(page, parent, sql`requested.parent`);
  if (isUnindexed(list, sortName, filters)) return scanQuery(page);
  const [only] = filters;
  if (only !== undefined && 'column' in only && only.column !== list.id) return mergedQuery(page, only);
  return rowsQuery(page, conditionsBeside(page), orderBy(page));
}

function rowsQuery(page: PageQuery, conditions: readonly SQL[], order: SQL): SQL {
  const { list } = page;
  const where = whereAll(list, [...conditions, ...orderConditions(page)]);
  return sql`select ${columnsOf(list)} from ${list.from} ${where} order by ${order} limit ${LIMIT}`;
}

/** Names of the columns in a subquery, in which the columns of two tables may share a name. */
function namesIn({ columns }: List): SQL[] {
  return Object.keys(columns).map((_, index) => sql`${sql.identifier(`c${index}`)}`);
}

/** How many rows are scanned in the order of the list before the indexes of the filters are used. */
const SCANNED = sql`greatest(2500, 125 * ${LIMIT}::integer)`;

/**
 * A page that no index serves. If many rows pass the filters, the first rows in the order of the list hold enough of
 * them. If not, few rows pass or they are elsewhere: then the index of a filter finds all of them, and they are sorted.
 * PostgreSQL on its own would choose one way by its estimates, and scan the whole list for rows that don't exist.
 */
function scanQuery(page: PageQuery): SQL {
  const { list, sort } = page;
  const names = sql.join(namesIn(list), sql`, `);
  const inOrder = orderConditions(page);
  const passes = sql.join(conditionsBeside(page), sql` and `);
  const row = sql`${columnsOf(list)}, ${sort.by?.expression ?? sql`null`}, ${list.id}`;
  const inDirection = sql`order by key ${direction(page)}, id ${direction(page)}`;
  return sql`with near as materialized (
        select ${names}, key, id from (
          select ${row}, (${passes}) from ${list.from} ${whereAll(list, inOrder)}
          order by ${orderBy(page)} limit ${SCANNED}
        ) as scanned (${names}, key, id, passes)
        where passes limit ${LIMIT}),
      enough as materialized (select count(*) >= ${LIMIT} as is_so from near)
    (select ${names} from near where (select is_so from enough) ${inDirection})
    union all
    (select ${names} from (
        select ${row} from ${list.from} ${whereAll(list, [passes, ...inOrder])} offset 0
      ) as passing (${names}, key, id)
      where not (select is_so from enough) ${inDirection} limit ${LIMIT})`;
}

/**
 * A page of the rows whose column has the value, by id. PostgreSQL often prefers to scan by id and to check each row,
 * as if such rows were spread evenly: when they are all at the far end, or there are none, it reads the whole table.
 * With the column in the order, and not in a plain equality, it can only use the index on the column and the id. The
 * position is compared by id alone: PostgreSQL would not start the scan at a pair of value and id.
 */
function byValueQuery(page: PageQuery, column: PgColumn, value: SQL): SQL {
  const hasValue = sql`${column} = any(array[${value}])`;
  return rowsQuery(page, [hasValue], sql`${column} ${direction(page)}, ${orderBy(page)}`);
}

/** Merged from a page for each value of the only filter. With more filters, PostgreSQL misestimates the rows. */
function mergedQuery(page: PageQuery, { column, values }: ValuesFilter): SQL {
  const { list } = page;
  const names = namesIn(list);
  const id = names[Object.values(list.columns).indexOf(list.id)];
  return sql`select merged.* from (select distinct unnest(${values}) as value) as given
    cross join lateral (${byValueQuery(page, column, sql`given.value`)}) as merged(${sql.join(names, sql`, `)})
    order by ${id} ${direction(page)} limit ${LIMIT}`;
}

/** The conditions of the filters that are not about the order of the list. */
function conditionsBeside({ sortName, filters }: PageQuery): SQL[] {
  return filters.filter((filter) => !isInOrder(filter, sortName)).map(conditionOf);
}

/**
 * The part of the order that has the page: within the ranges, and between the positions. Of several bounds on one side,
 * PostgreSQL may start its scan at the wider one, and read all rows up to the narrower one: so each side has one.
 */
function orderConditions({ list: { id, joinedId }, sortName, sort, filters, bounds }: PageQuery): SQL[] {
  const { by } = sort;
  const ranges = filters.filter((filter) => isInOrder(filter, sortName));
  const starts = ranges.flatMap(({ from }) => from ?? []);
  const ends = ranges.flatMap(({ until }) => until ?? []);
  // PostgreSQL infers no range from the join: a merge join would read the joined table from its end to the position.
  const ids = joinedId === undefined ? [id] : [id, joinedId];
  const conditionsOf = (side: 'after' | 'before', operator: SQL, limits: readonly SQL[], isWithin: SQL, inner: SQL) => {
    if (bounds[side] === undefined) return limits.map((limit) => sql`${by?.expression} ${isWithin} ${limit}`);
    const part = (name: string) => sql`requested.${sql.identifier(side + name)}`;
    const [positionId, value] = [part('Id'), part('Value')];
    if (by === undefined) return ids.map((key) => sql`${key} ${operator} ${positionId}`);
    const key = by.toComparable(value);
    const all = sql.join([key, ...limits], sql`, `);
    const isValid = sql.join([sql`true`, ...limits.map((limit) => sql`${key} ${isWithin} ${limit}`)], sql` and `);
    // No row has the id 0: all rows with the key come after it.
    const position = sql`${inner}(${all}), case when ${isValid} then ${positionId} else 0 end`;
    return [sql`(${by.expression}, ${id}) ${operator} (${position})`];
  };
  const [low, high] = sort.descending ? (['before', 'after'] as const) : (['after', 'before'] as const);
  return [
    ...conditionsOf(low, sql`>`, starts, sql`>=`, sql`greatest`),
    ...conditionsOf(high, sql`<`, ends, sql`<`, sql`least`),
  ];
}

/** A backward page is read in reverse, and its rows are reversed afterwards. */
function orderBy(page: PageQuery): SQL {
  const { by } = page.sort;
  const id = sql`${page.list.id} ${direction(page)}`;
  return by === undefined ? id : sql`${by.expression} ${direction(page)}, ${id}`;
}

function direction({ sort: { descending }, bounds: { backward } }: PageQuery): SQL {
  return descending === backward ? sql`asc` : sql`desc`;
}
