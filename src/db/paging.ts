import { type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { ServiceError } from '../errors.ts';
import type { Int64 } from '../int64.ts';
import { coalesce, groupBy, inOrder } from './batch.ts';
import { type Database, integer, type RowOf, type Statement } from './client.ts';
import { decodeCursor, encodeCursor } from './cursor.ts';
import {
  boundsShape,
  boundsValues,
  type KeysetSort,
  type ListSource,
  nestedPageQuery,
  type PageBounds,
  pageQuery,
  whereAll,
} from './keyset.ts';

/** What a page is of; at most one of `first` and `last`, 1 to 100. Cursors as `Page.cursorOf` gave them. */
export interface PageWindow {
  readonly first?: number | null | undefined;
  readonly after?: string | null | undefined;
  readonly last?: number | null | undefined;
  readonly before?: string | null | undefined;
}

/** A part of a list, and where it lies in it. */
export interface Page<Row> {
  readonly rows: readonly Row[];
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  cursorOf(row: Row): string;
  /** How many rows the whole list has; asks the database when called. */
  count(): Promise<number>;
}

/** A sort, and how a cursor remembers a row's value under it. */
export interface Sort<Row> extends KeysetSort {
  readonly by?: NonNullable<KeysetSort['by']> & {
    readonly valueOf: (row: Row) => string;
    readonly isValue: (text: string) => boolean;
  };
}

/** A list: its rows, and each filter and sort that an index serves. */
export interface ListPlan<C extends ListSource['columns'], Filter extends string, SortName extends string>
  extends ListSource {
  readonly name: string;
  readonly columns: C;
  readonly idOf: (row: RowOf<C>) => Int64;
  /** What holds of every row of the list. */
  readonly where?: SQL;
  /** Each a condition with the placeholder of the filter's own name. */
  readonly filters: Readonly<Record<Filter, SQL>>;
  readonly sorts: Readonly<Record<SortName, Sort<RowOf<C>>>>;
}

export const DEFAULT_PAGE_SIZE = 20;
export const LARGEST_PAGE = 100;

/**
 * Pages of a list by keyset: a page begins where a row is, not at a number, so a row that exists throughout a walk is
 * seen exactly once whatever comes and goes meanwhile. Statements are compiled when their combination of filters, sort
 * and direction is first asked for; there are only so many.
 *
 * @returns the page of the rows that pass the filters; a filter that is undefined or null lets all pass
 */
export function pages<C extends ListSource['columns'], Filter extends string, SortName extends string>(
  database: Database,
  plan: ListPlan<C, Filter, SortName>,
) {
  type Filters = Readonly<Partial<Record<Filter, unknown>>>;
  const statements = new Map<string, Statement<RowOf<C>>>();
  const counts = new Map<string, Statement<{ count: number }>>();

  return async (sortName: SortName, filters: Filters, window: PageWindow): Promise<Page<RowOf<C>>> => {
    const sort = plan.sorts[sortName];
    const list = `${plan.name}.${sortName}`;
    const bounds = readWindow(window, list, sort);
    const names = presentFilters(filters);
    const statement = memo(statements, [sortName, ...names, boundsShape(bounds)].join(), () =>
      database.statement(`${plan.name}.list`, pageQuery(plan, sort, bounds, conditionsOf(names)), plan.columns),
    );
    const rows = await statement({ ...filters, ...boundsValues(bounds) });
    return toPage(rows, bounds, () => count(filters), cursorsOf(plan.idOf, list, sort));
  };

  async function count(filters: Filters): Promise<number> {
    const names = presentFilters(filters);
    const statement = memo(counts, names.join(), () => {
      const query = sql`select count(*) from ${plan.from} ${whereAll(conditionsOf(names))}`;
      return database.statement(`${plan.name}.count`, query, { count: integer });
    });
    const [row] = await statement(filters);
    return row?.count ?? 0;
  }

  function presentFilters(filters: Filters): Filter[] {
    return (Object.keys(plan.filters) as Filter[]).filter((name) => filters[name] != null);
  }

  function conditionsOf(names: readonly Filter[]): (SQL | undefined)[] {
    return [plan.where, ...names.map((name) => plan.filters[name])];
  }
}

/**
 * Pages of the rows that belong to each of many parents, in the order of their ids: one statement for all the parents
 * that ask at the same time for the same window.
 *
 * @param parent the column that holds the parent's id, and `parentOf` reads it from a row
 */
export function nestedPages<C extends ListSource['columns']>(
  database: Database,
  plan: ListPlan<C, string, string>,
  parent: PgColumn,
  parentOf: (row: RowOf<C>) => Int64 | null,
): (parentId: Int64, window: PageWindow) => Promise<Page<RowOf<C>>> {
  type Key = { readonly parentId: Int64; readonly bounds: PageBounds };
  const name = `${plan.name}.listBy.${parent.name}`;
  const byId: Sort<RowOf<C>> = { descending: false };
  const list = `${plan.name}.id`;
  const cursorOf = cursorsOf(plan.idOf, list, byId);
  const statements = new Map<string, Statement<RowOf<C>>>();
  const count = nestedCount(database, plan, parent);

  const load = coalesce<Key, readonly RowOf<C>[]>(database, name, async (keys) => {
    const answers = new Map<Key, readonly RowOf<C>[]>();
    const sameWindow = groupBy(
      keys,
      ({ bounds }) => boundsShape(bounds) + JSON.stringify(boundsValues(bounds), asText),
    );
    await Promise.all(
      [...sameWindow.values()].map(async (group) => {
        const rows = groupBy(await readGroup(group), parentOf);
        for (const key of group) answers.set(key, rows.get(key.parentId) ?? []);
      }),
    );
    return keys.map((key) => answers.get(key) ?? []);
  });

  return async (parentId, window) => {
    const bounds = readWindow(window, list, byId);
    return toPage(await load({ parentId, bounds }), bounds, () => count(parentId), cursorOf);
  };

  function readGroup(group: readonly Key[]): Promise<RowOf<C>[]> {
    const [{ bounds }] = group as [Key];
    const statement = memo(statements, boundsShape(bounds), () =>
      database.statement(name, nestedPageQuery(plan, parent, bounds, plan.where), plan.columns),
    );
    return statement({ parents: [...new Set(group.map((key) => key.parentId))], ...boundsValues(bounds) });
  }
}

function nestedCount(
  database: Database,
  plan: ListSource & { readonly name: string; readonly where?: SQL },
  parent: PgColumn,
): (parentId: Int64) => Promise<number> {
  const name = `${plan.name}.countBy.${parent.name}`;
  const ofParents = sql`${parent} = any(${sql.placeholder('parents')}::bigint[])`;
  const query = sql`select ${parent}, count(*) from ${plan.from} ${whereAll([plan.where, ofParents])} group by ${parent}`;
  const statement = database.statement(name, query, { parentId: parent, count: integer });
  return coalesce<Int64, number>(database, name, async (parents) => {
    const rows = await statement({ parents });
    return inOrder<unknown, (typeof rows)[number]>(parents, rows, (row) => row.parentId).map((row) => row?.count ?? 0);
  });
}

function readWindow<Row>({ first, after, last, before }: PageWindow, list: string, sort: Sort<Row>): PageBounds {
  if (first != null && last != null) {
    throw new ServiceError('INVALID_ARGUMENT', 'first and last cannot be combined; ask for one of them.');
  }
  const place = (name: 'after' | 'before', cursor: string | null | undefined) =>
    cursor == null ? undefined : decodeCursor(cursor, name, list, sort.by?.isValue);
  return {
    size: last ?? first ?? DEFAULT_PAGE_SIZE,
    backward: last != null,
    after: place('after', after),
    before: place('before', before),
  };
}

function toPage<Row>(
  read: readonly Row[],
  bounds: PageBounds,
  count: () => Promise<number>,
  cursorOf: (row: Row) => string,
): Page<Row> {
  const hasMore = read.length > bounds.size;
  const rows = read.slice(0, bounds.size);
  if (bounds.backward) rows.reverse();
  return {
    rows,
    hasNextPage: bounds.backward ? bounds.before !== undefined : hasMore,
    hasPreviousPage: bounds.backward ? hasMore : bounds.after !== undefined,
    cursorOf,
    count,
  };
}

function cursorsOf<Row>(idOf: (row: Row) => Int64, list: string, { by }: Sort<Row>): (row: Row) => string {
  return (row) => encodeCursor(list, { id: idOf(row), value: by?.valueOf(row) ?? null });
}

function memo<Value>(known: Map<string, Value>, key: string, make: () => Value): Value {
  const found = known.get(key);
  if (found !== undefined) return found;
  const made = make();
  known.set(key, made);
  return made;
}

function asText(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}
