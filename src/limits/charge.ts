import type { Origin } from './account.ts';
import type { Load } from './gate.ts';

/** A request, as far as somebody is charged for it. */
export interface Chargeable extends Origin {
  /** Who is charged, once somebody is. */
  account?: string | undefined;
  /** What it has cost so far. */
  units?: number | undefined;
  /** How long its answer may be, in bytes, where that is known to be much. */
  bytes?: number | undefined;
  /** How long it took to know who calls, in milliseconds; undefined for no time. */
  waited?: number | undefined;
}

/** As how many reads a change counts that is under way: it may wait for a row, and has a connection meanwhile. */
const READS_OF_CHANGE = 10;

/** How many bytes of an answer count as a read that is under way: so long they take to be written. */
const BYTES_OF_READ = 16_384;

/** How much a request is for the gate, and whose. */
export function loadOf(
  { account = '', units = 1, bytes = 0, waited }: Chargeable,
  kind: 'read' | 'change' = 'read',
): Load {
  const ofWork = kind === 'read' ? units : units * READS_OF_CHANGE;
  return { account, units: Math.max(ofWork, bytes / BYTES_OF_READ), spent: waited };
}

/**
 * How many rows of lists, values of their fields, items of the lists that filter them, and statements for what is within rows
 * cost as much as a request.
 */
const ROWS_OF_UNIT = 20;
const VALUES_OF_UNIT = 200;
const ITEMS_OF_UNIT = 8;
const STATEMENTS_OF_UNIT = 2;
/** What such a search costs. */
const UNITS_OF_SEARCH = 7;

/** What a request may ask for. */
export interface Asking {
  /** Rows of lists. */
  readonly rows: number;
  /** Values of their fields. */
  readonly values: number;
  /** Items of the lists that fields are given: each may be looked up on its own. */
  readonly items: number;
  /** Lists whose pages no index has: rows are read that are on no page. */
  readonly searches: number;
  /** Lists within rows, and rows that rows refer to: each takes a statement, for all rows together. */
  readonly statements: number;
  /** Bytes of the answer, by the greatest lengths of its fields. */
  readonly bytes: number;
}

/** What a request costs beyond the one unit of each. */
export function unitsOf({ rows, values, items, searches, statements }: Omit<Asking, 'bytes'>): number {
  const ofRows = Math.max(rows / ROWS_OF_UNIT, values / VALUES_OF_UNIT);
  return searches * UNITS_OF_SEARCH + Math.floor(ofRows + items / ITEMS_OF_UNIT + statements / STATEMENTS_OF_UNIT);
}

/** How many pages of tables, of 8 KiB each, cost as much as a request when a list is counted. */
const PAGES_OF_UNIT = 10;

/**
 * What it costs to count a list: all of its tables may have to be read.
 *
 * @param pages how many pages each of its tables has
 */
export function unitsOfCount(pages: readonly number[]): number {
  const inAll = pages.reduce((sum, ofTable) => sum + ofTable, 0);
  return 1 + Math.floor(inAll / PAGES_OF_UNIT);
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
