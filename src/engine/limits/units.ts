import type { ListTables } from '../db/paging.ts';

/**
 * How many rows of lists, values of their fields, items of the lists that filter them, and statements for what is within rows
 * cost as much as a request.
 */
const ROWS_OF_UNIT = 20;
const VALUES_OF_UNIT = 200;
const ITEMS_OF_UNIT = 8;
const STATEMENTS_OF_UNIT = 2;

/** What a request may ask for. */
export interface Cost {
  /** Rows of lists. */
  readonly rows: number;
  /** Values of their fields. */
  readonly values: number;
  /** Items of the lists that fields are given: each may be looked up on its own. */
  readonly items: number;
  /** Lists whose pages no index has: rows are read that are on no page. */
  readonly searches: readonly ListTables[];
  /** Lists within rows, and rows that rows refer to: each takes a statement, for all rows together. */
  readonly statements: number;
  /** Bytes of the answer, by the greatest lengths of its fields. */
  readonly bytes: number;
}

/** What lists cost by the sizes of their tables, as these are now. */
export interface ListCosts {
  /** To count a list. */
  count(list: ListTables): number;
  /** To find a page of a list that no index has. */
  search(list: ListTables): number;
}

/** What a request costs beyond the one unit of each. */
export function unitsOf(cost: Omit<Cost, 'bytes'>, costs: Pick<ListCosts, 'search'>): number {
  const { rows, values, items, searches, statements } = cost;
  const ofRows = Math.max(rows / ROWS_OF_UNIT, values / VALUES_OF_UNIT);
  const ofSearches = searches.reduce((sum, list) => sum + costs.search(list), 0);
  return ofSearches + Math.floor(ofRows + items / ITEMS_OF_UNIT + statements / STATEMENTS_OF_UNIT);
}

/**
 * How many pages of tables, of 8 KiB each, cost as much as a request when a list is counted, for which all of them may have to be
 * read; and when one is searched, for which an index may find a tenth of the rows that are read then.
 */
const COUNTED_PAGES_OF_UNIT = 10;
const SEARCHED_PAGES_OF_UNIT = 150;

/** @param pagesOf how many pages each of the tables has */
export function listCosts(pagesOf: (tables: ListTables['tables']) => readonly number[]): ListCosts {
  const unitsFor = ({ tables }: ListTables, pagesOfUnit: number) =>
    1 + Math.floor(pagesOf(tables).reduce((sum, pages) => sum + pages, 0) / pagesOfUnit);
  return {
    count: (list) => unitsFor(list, COUNTED_PAGES_OF_UNIT),
    search: (list) => unitsFor(list, SEARCHED_PAGES_OF_UNIT),
  };
}

/** What an `Idempotency-Key` costs: its request has a transaction of its own. */
export const UNITS_OF_KEY = 2;

/** How many bytes of a body cost as much to read as a request. */
const BYTES_OF_UNIT = 10_240;

/** What a body costs beyond the one unit of each request, before it is read as JSON. */
export function unitsOfBody(bytes: number): number {
  return Math.floor(bytes / BYTES_OF_UNIT);
}

/** How many characters of a GraphQL document cost as much to read and to check as a request. */
const CHARACTERS_OF_UNIT = 100;

/** What a GraphQL document costs that is not known yet. */
export function unitsOfDocument(text: string): number {
  return Math.floor(text.length / CHARACTERS_OF_UNIT);
}
