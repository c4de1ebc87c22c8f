import type { ListTables } from '../db/paging.ts';

/** How many rows, values, items and statements of a `Cost` make up one unit. */
const ROWS_PER_UNIT = 20;
const VALUES_PER_UNIT = 200;
const ITEMS_PER_UNIT = 8;
const STATEMENTS_PER_UNIT = 2;

/** The parts of a request's cost: the maximum that it may read or return. */
export interface Cost {
  readonly rows: number;
  readonly values: number;
  /** Items of list arguments, each of which may take a lookup. */
  readonly items: number;
  /** The lists that are scanned: no index serves their pages, so more rows are read than returned. */
  readonly scans: readonly ListTables[];
  /** The lists that are counted, each once: one statement counts a list within rows for all of them. */
  readonly counts: readonly ListTables[];
  /** Lists within rows, and rows that rows refer to: each takes one statement for all rows together. */
  readonly statements: number;
  /** Bytes of the response, by the maximum lengths of its fields. */
  readonly bytes: number;
}

/** The cost of lists in units, by the current sizes of their tables. */
export interface ListCosts {
  count(list: ListTables): number;
  /** The cost of a page that no index serves. */
  scan(list: ListTables): number;
}

/** Beyond the unit that every request costs. */
export function unitsOf({ rows, values, items, scans, counts, statements }: Cost, { scan, count }: ListCosts): number {
  const ofRows = Math.max(rows / ROWS_PER_UNIT, values / VALUES_PER_UNIT);
  const ofScans = scans.reduce((sum, list) => sum + scan(list), 0);
  const ofCounts = counts.reduce((sum, list) => sum + count(list), 0);
  return ofScans + ofCounts + Math.floor(ofRows + items / ITEMS_PER_UNIT + statements / STATEMENTS_PER_UNIT);
}

/** How many table pages, of 8 KiB each, cost a unit when a list is counted, which may read all of them. */
const COUNTED_PAGES_PER_UNIT = 10;
/** The same for a page that no index serves, where an index may find a tenth of the rows, which are then read. */
const SCANNED_PAGES_PER_UNIT = 150;

/** @param pagesOf gives the size of each table, in pages */
export function listCosts(pagesOf: (tables: ListTables['tables']) => readonly number[]): ListCosts {
  const unitsFor = ({ tables }: ListTables, pagesPerUnit: number) =>
    1 + Math.floor(pagesOf(tables).reduce((sum, pages) => sum + pages, 0) / pagesPerUnit);
  return {
    count: (list) => unitsFor(list, COUNTED_PAGES_PER_UNIT),
    scan: (list) => unitsFor(list, SCANNED_PAGES_PER_UNIT),
  };
}

/** The cost of an `Idempotency-Key` in units: the response is stored in the same transaction as the change, for a day. */
const UNITS_OF_KEY = 2;
/** How many bytes of a stored response cost a unit more. */
const STORED_BYTES_PER_UNIT = 4_096;

/** @param bytes the maximum length of the response */
export function unitsOfKey(bytes: number): number {
  return UNITS_OF_KEY + Math.floor(bytes / STORED_BYTES_PER_UNIT);
}

/** The cost of the lifecycle page and of the metrics in units: both may name many clients. */
export const UNITS_OF_PAGE = 20;
export const UNITS_OF_METRICS = 4;

/** How many bytes of a body cost a unit to read. */
const BYTES_PER_UNIT = 10_240;

export function unitsOfBody(bytes: number): number {
  return Math.floor(bytes / BYTES_PER_UNIT);
}

/** How many values of JSON cost a unit to parse, and to look at. */
const VALUES_PER_JSON_UNIT = 250;

export function unitsOfValues(values: number): number {
  return Math.floor(values / VALUES_PER_JSON_UNIT);
}

/** How many characters of a GraphQL document cost a unit to parse and validate. */
const CHARACTERS_PER_UNIT = 100;

export function unitsOfDocument(text: string): number {
  return Math.floor(text.length / CHARACTERS_PER_UNIT);
}
