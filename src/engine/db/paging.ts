import type { SQL } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import { LRUCache } from 'lru-cache';
import { ServiceError } from '../errors.ts';
import type { Int64 } from '../int64.ts';
import { batched } from './batch.ts';
import type { Database, Statement } from './client.ts';
import { nestedCount, rootCount } from './counts.ts';
import { decodeCursor, encodeCursor } from './cursor.ts';
import {
  always,
  boundsShape,
  isSearch,
  type KeysetSort,
  type ListSource,
  MAX_PAGES,
  type PageBounds,
  pagesQuery,
  placesValue,
  type RowFilter,
} from './keyset.ts';
import { type Cache, memo, valuesKey } from './memo.ts';
import { rowsOf } from './record-rows.ts';
import { integer, type RowOf } from './row.ts';

/** The page of a list: at most one of `first` and `last`, 1 to 100, and cursors that `Page.cursorOf` made. */
export interface PageWindow {
  readonly first?: number | null | undefined;
  readonly after?: string | null | undefined;
  readonly last?: number | null | undefined;
  readonly before?: string | null | undefined;
}

/** A page of a list. */
export interface Page<Row> {
  readonly rows: readonly Row[];
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  cursorOf(row: Row): string;
  /** The number of rows of the whole list; the first call queries the database. */
  count(): Promise<number>;
}

/** A sort, and how a cursor holds a row's value of it. */
export interface Sort<Row> extends KeysetSort {
  readonly by?: NonNullable<KeysetSort['by']> & {
    readonly valueOf: (row: Row) => string;
    readonly isValue: (text: string) => boolean;
  };
}

/** The name and the sorts of a list. */
export interface SortedList<Row, SortName extends string> {
  readonly name: string;
  readonly sorts: Readonly<Record<SortName, Sort<Row>>>;
}

/** The parts of a list that decide whether a page is a search. */
export interface Searchable<Filter extends string = string> extends Pick<ListSource, 'id'> {
  readonly filters: Readonly<Record<Filter, RowFilter>>;
}

/** The tables that are read to count a list. */
export interface ListTables {
  readonly tables: readonly PgTable[];
}

/** A list: its rows, and each filter and sort that an index serves. */
export interface ListPlan<C extends ListSource['columns'], Filter extends string, SortName extends string>
  extends ListSource,
    SortedList<RowOf<C>, SortName>,
    ListTables {
  readonly columns: C;
  readonly idOf: (row: RowOf<C>) => Int64;
  /** The tables that are enough to count the list with these filters; by default all of `from`. */
  countFrom?(filters: readonly Filter[]): SQL;
  /** Each filter's placeholder has the name of the filter. */
  readonly filters: Readonly<Record<Filter, RowFilter>>;
}

export const DEFAULT_PAGE_SIZE = 20;
export const MAX_PAGE_SIZE = 100;
/** How many compiled statements of a list are cached: one for each combination of filters, sort and direction. */
const MAX_SHAPES = 100;

/**
 * Reads pages of a list by keyset: a page starts at a row, not at an offset, so a client that walks through the list
 * sees each row exactly once, whatever is inserted and deleted meanwhile.
 *
 * @returns reads a page of the rows that pass the filters; a filter that is undefined or null does not apply
 */
export function pages<C extends ListSource['columns'], Filter extends string, SortName extends string>(
  database: Database,
  plan: ListPlan<C, Filter, SortName>,
) {
  type Filters = Readonly<Partial<Record<Filter, unknown>>>;
  const load = pageLoader(database, `${plan.name}.list`, plan);
  const count = rootCount(database, `${plan.name}.count`);

  return async (filters: Filters, sortName: SortName, window: PageWindow): Promise<Page<RowOf<C>>> => {
    const sort = plan.sorts[sortName];
    const bounds = readWindow(plan, sortName, window);
    const names = presentFilters(filters);
    const shape = [sortName, ...names, boundsShape(bounds)].join();
    const from = plan.countFrom?.(names) ?? plan.from;
    const counted = () => [...always(plan), ...names.map((name) => plan.filters[name])];
    const total = database.bind(() => count({ shape: names.join(), from, filters: counted, values: filters }));
    const rows = await load({
      shape,
      sort,
      filters: () => names.map((name) => plan.filters[name]),
      searchedBy: isSearched(plan, { ...filters, sort: sortName }) ? sortName : undefined,
      values: filters,
      bounds,
      parent: undefined,
    });
    return toPage(rows, bounds, total, cursorsOf(plan, sortName));
  };

  function presentFilters(filters: Filters): Filter[] {
    return (Object.keys(plan.filters) as Filter[]).filter((name) => filters[name] != null);
  }
}

/**
 * Whether the page of these arguments is a search, which reads more rows than it returns.
 *
 * @param given the arguments by name; undefined and null count as not given
 */
export function isSearched(list: Searchable, given: Readonly<Record<string, unknown>>): boolean {
  const filters = Object.entries(list.filters).flatMap(([name, filter]) => (given[name] == null ? [] : [filter]));
  return isSearch(list, String(given.sort ?? 'id'), filters);
}

/**
 * Reads pages of the rows that belong to a parent, in the order of their ids.
 *
 * @param parent the column that holds the parent's id
 */
export function nestedPages<C extends ListSource['columns']>(
  database: Database,
  plan: ListPlan<C, string, 'id'>,
  parent: PgColumn,
): (parentId: Int64, window: PageWindow) => Promise<Page<RowOf<C>>> {
  const cursorOf = cursorsOf(plan, 'id');
  const load = pageLoader(database, `${plan.name}.listBy.${parent.name}`, plan, parent);
  const count = nestedCount(database, plan, parent);

  return async (parentId, window) => {
    const bounds = readWindow(plan, 'id', window);
    const total = database.bind(() => count(parentId));
    const rows = await load({
      shape: boundsShape(bounds),
      sort: plan.sorts.id,
      filters: () => [],
      searchedBy: undefined,
      values: {},
      bounds,
      parent: parentId,
    });
    return toPage(rows, bounds, total, cursorOf);
  };
}

interface PageRequest<Row> {
  /** Identifies the statement among those of the list. */
  readonly shape: string;
  readonly sort: Sort<Row>;
  readonly filters: () => readonly RowFilter[];
  /** The name of the sort if the page is a search. */
  readonly searchedBy: string | undefined;
  /** The values of the filters' placeholders. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly bounds: PageBounds;
  readonly parent: Int64 | undefined;
}

/**
 * Reads pages, with one statement for all that are requested at the same time with the same filters and size. Other
 * pages neither wait for them nor fail with them. A statement is compiled when its combination of filters, sort and
 * direction is first requested.
 */
function pageLoader<C extends ListSource['columns']>(
  database: Database,
  name: string,
  source: ListSource & { readonly columns: C },
  parent?: PgColumn,
): (request: PageRequest<RowOf<C>>) => Promise<readonly RowOf<C>[]> {
  type Row = RowOf<C>;
  const shape = { key: integer, rows: rowsOf(source.columns) };
  const statements: Cache<Statement<RowOf<typeof shape>>> = new LRUCache({ max: MAX_SHAPES });
  const groups = new Map<string, { load(request: PageRequest<Row>): Promise<readonly Row[]>; waiting: number }>();

  return async (request) => {
    const key = request.shape + request.bounds.size + valuesKey(request.values);
    const group = memo(groups, key, () => ({ load: batched(database, name, readPages), waiting: 0 }));
    group.waiting++;
    try {
      return await group.load(request);
    } finally {
      // Clients choose the values, so an unused group must not stay in memory.
      if (--group.waiting === 0) groups.delete(key);
    }
  };

  /** Reads pages that differ only in their positions and parents. */
  async function readPages(requests: readonly PageRequest<Row>[]): Promise<readonly (readonly Row[])[]> {
    const [{ shape: key, sort, filters, searchedBy, values, bounds }] = requests as readonly [PageRequest<Row>];
    const statement = memo(statements, key, () =>
      database.statement(name, 'list', pagesQuery(source, sort, bounds, filters(), parent, searchedBy), shape),
    );
    const read = database.bind(statement);
    const pages: (readonly Row[])[] = requests.map(() => []);
    for (let from = 0; from < requests.length; from += MAX_PAGES) {
      const some = requests.slice(from, from + MAX_PAGES);
      const places = placesValue(some.map(({ bounds: { after, before }, parent }) => ({ after, before, parent })));
      // One row more than the page shows whether there is a next page. The spread comes last, as in `batchWrites`.
      for (const page of await read({ places, limit: bounds.size + 1, ...values })) {
        pages[from + page.key] = page.rows ?? [];
      }
    }
    return pages;
  }
}

/**
 * The bounds of a page.
 *
 * @throws {ServiceError} INVALID_ARGUMENT when it has both `first` and `last`, or a cursor of another list or order
 */
export function readWindow<Row, SortName extends string>(
  list: SortedList<Row, SortName>,
  sortName: SortName,
  { first, after, last, before }: PageWindow,
): PageBounds {
  if (first != null && last != null) {
    throw new ServiceError('INVALID_ARGUMENT', 'first and last cannot be combined; use one of them.');
  }
  const place = (name: 'after' | 'before', cursor: string | null | undefined) =>
    cursor == null ? undefined : decodeCursor(cursor, name, orderOf(list, sortName), list.sorts[sortName].by?.isValue);
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
  let counted: Promise<number> | undefined;
  if (bounds.backward) rows.reverse();
  return {
    rows,
    hasNextPage: bounds.backward ? bounds.before !== undefined : hasMore,
    hasPreviousPage: bounds.backward ? hasMore : bounds.after !== undefined,
    cursorOf,
    count: () => {
      counted ??= count();
      return counted;
    },
  };
}

function cursorsOf<C extends ListSource['columns'], SortName extends string>(
  plan: ListPlan<C, string, SortName>,
  sortName: SortName,
): (row: RowOf<C>) => string {
  const order = orderOf(plan, sortName);
  const { by } = plan.sorts[sortName];
  return (row) => encodeCursor(order, { id: plan.idOf(row), value: by?.valueOf(row) ?? null });
}

/** The name of a list with its order. */
function orderOf({ name }: { readonly name: string }, sortName: string): string {
  return `${name}.${sortName}`;
}
