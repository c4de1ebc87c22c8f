import { sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { ServiceError } from '../errors.ts';
import type { Int64 } from '../int64.ts';
import { type Loader, loaderOf } from './batch.ts';
import { type BatchRequest, batchedByShape } from './batch-by-shape.ts';
import type { Database } from './client.ts';
import { isInteger } from './columns.ts';
import { nestedCount, rootCount } from './counts.ts';
import { decodeCursor, encodeCursor } from './cursor.ts';
import { boundsShape, MAX_PAGES, type PageBounds, pagesQuery, positionsValue } from './keyset.ts';
import { columnsOf, isUnindexed, type List, whereAll } from './list.ts';
import { rowsOf } from './record-rows.ts';
import type { RowOf } from './row.ts';

/** The page of a list: at most one of `first` and `last`, 1 to 100, and cursors that `Page.cursorOf` made. */
export interface PageWindow {
  readonly first?: number | null | undefined;
  readonly after?: string | null | undefined;
  readonly last?: number | null | undefined;
  readonly before?: string | null | undefined;
}

export interface Page<Row> {
  readonly rows: readonly Row[];
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  cursorOf(row: Row): string;
  /** The number of rows of the whole list; the first call queries the database. */
  count(): Promise<number>;
}

export type ListTables = Pick<List, 'tables'>;

/** The values of a page's statement, and the arguments of its field, beside those of filters. */
const OWN_NAMES = ['positions', 'limit', 'sort', 'first', 'after', 'last', 'before'];
export const DEFAULT_PAGE_SIZE = 20;
export const MAX_PAGE_SIZE = 100;

/**
 * Reads pages by keyset: a page starts at a row, not at an offset, so a client that walks through the list sees each
 * row exactly once, whatever is inserted and deleted meanwhile. A filter that is undefined or null does not apply.
 */
export function pages<C extends List['columns'], Filter extends string, SortName extends string>(
  database: Database,
  list: List<C, Filter, SortName>,
) {
  const read = pageReader(database, `${list.name}.list`, list);
  const count = rootCount(database, list);
  return (values: Readonly<Partial<Record<Filter, unknown>>>, sortName: SortName, window: PageWindow) => {
    const names = (Object.keys(list.filters) as Filter[]).filter((name) => values[name] != null);
    return read({ sortName, window, names, values, parentId: undefined }, () => count({ names, values }));
  };
}

/** Reads pages of the rows of a parent, whose id the column `parent` has, in the order of their ids. */
export function nestedPages<C extends List['columns']>(
  database: Database,
  list: List<C, string, 'id'>,
  parent: PgColumn,
): (parentId: Int64, window: PageWindow) => Promise<Page<RowOf<C>>> {
  const read = pageReader(database, `${list.name}.listBy.${parent.name}`, list, parent);
  const count = nestedCount(database, list, parent);
  return (parentId, window) => read({ sortName: 'id', window, names: [], values: {}, parentId }, () => count(parentId));
}

export function byId<C extends List['columns']>(
  database: Database,
  list: List<C, string, never>,
): Loader<Int64, RowOf<C>> {
  const name = `${list.name}.byKeys`;
  const hasId = sql`${list.id} = any(${sql.placeholder('ids')}::bigint[])`;
  const query = sql`select ${columnsOf(list)} from ${list.from} ${whereAll(list, [hasId])}`;
  const read = database.statement(name, 'lookup', query, list.columns);
  return loaderOf(database, name, (ids: readonly Int64[]) => read({ ids }), list.idOf);
}

/** One statement reads all pages that are requested at the same time with the same filters and size. */
function pageReader<C extends List['columns'], Filter extends string, SortName extends string>(
  database: Database,
  name: string,
  list: List<C, Filter, SortName>,
  parent?: PgColumn,
) {
  interface Request extends BatchRequest {
    readonly sortName: SortName;
    /** The filters that apply. */
    readonly names: readonly Filter[];
    readonly bounds: PageBounds;
    readonly parentId: Int64 | undefined;
  }
  if (!isInteger(list.id))
    throw new Error(`The id of the list ${list.name} must be an integer, because its cursors have it.`);
  const taken = OWN_NAMES.find((own) => own in list.filters);
  if (taken !== undefined)
    throw new Error(`The filter ${taken} of ${list.name} needs another name: a page has one with that name itself.`);
  const shape = { key: Number, rows: rowsOf(list.columns) };

  const load = batchedByShape(
    database,
    name,
    ({ sortName, names, bounds }: Request) => {
      const filters = names.map((filter) => list.filters[filter]);
      const page = { list, sortName, sort: list.sorts[sortName], filters, bounds, parent };
      return database.statement(name, 'list', pagesQuery(page), shape);
    },
    async (read, requests) => {
      const [{ values }] = requests;
      const pages: (readonly RowOf<C>[])[] = requests.map(() => []);
      for (let from = 0; from < requests.length; from += MAX_PAGES) {
        const positions = positionsValue(requests.slice(from, from + MAX_PAGES));
        // The spread comes last, as in `writtenItems`.
        for (const page of await read({ positions, ...values })) {
          pages[from + page.key] = page.rows ?? [];
        }
      }
      return pages;
    },
  );

  return async (
    request: Omit<Request, 'shape' | 'bounds'> & { readonly window: PageWindow },
    count: () => Promise<number>,
  ): Promise<Page<RowOf<C>>> => {
    const { sortName, names, window, parentId } = request;
    const bounds = readWindow(list, sortName, window);
    const shape = [sortName, ...names, boundsShape(bounds)].join();
    const total = database.bind(count);
    // One row more than the page shows whether there is a next page.
    const values = { limit: bounds.size + 1, ...request.values };
    const read = await load({ shape, values, sortName, names, bounds, parentId });
    const hasMore = read.length > bounds.size;
    const rows = read.slice(0, bounds.size);
    if (bounds.backward) rows.reverse();
    const order = orderOf(list, sortName);
    const { by } = list.sorts[sortName];
    let counted: Promise<number> | undefined;
    return {
      rows,
      hasNextPage: bounds.backward ? bounds.before !== undefined : hasMore,
      hasPreviousPage: bounds.backward ? hasMore : bounds.after !== undefined,
      cursorOf: (row) => encodeCursor(order, { id: list.idOf(row), value: by?.valueOf(row) ?? null }),
      count: () => {
        counted ??= total();
        return counted;
      },
    };
  };
}

/** Whether the page of these arguments reads more rows than it returns; undefined and null count as not given. */
export function isScanned(list: List, given: Readonly<Record<string, unknown>>): boolean {
  const filters = Object.entries(list.filters).flatMap(([name, filter]) => (given[name] == null ? [] : [filter]));
  return isUnindexed(list, String(given.sort ?? 'id'), filters);
}

/** @throws {ServiceError} INVALID_ARGUMENT when it has both `first` and `last`, or a cursor of another list or order */
export function readWindow<SortName extends string>(
  list: List<List['columns'], string, SortName>,
  sortName: SortName,
  { first, after, last, before }: PageWindow,
): PageBounds {
  if (first != null && last != null) {
    throw new ServiceError('INVALID_ARGUMENT', 'first and last cannot be combined; use one of them.');
  }
  const positionOf = (name: 'after' | 'before', cursor: string | null | undefined) =>
    cursor == null ? undefined : decodeCursor(cursor, name, orderOf(list, sortName), list.sorts[sortName].by?.isValue);
  return {
    size: last ?? first ?? DEFAULT_PAGE_SIZE,
    backward: last != null,
    after: positionOf('after', after),
    before: positionOf('before', before),
  };
}

function orderOf({ name }: { readonly name: string }, sortName: string): string {
  return `${name}.${sortName}`;
}
