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
  /** The key that ends every order, so that no two rows are at one place. */
  readonly id: PgColumn;
  /** The column of a joined table that is the same as the id, where there is one. */
  readonly joinedId?: PgColumn;
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
export interface PagePlace extends Pick<PageBounds, 'after' | 'before'> {
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

/** How many pages one statement reads. */
export const MOST_PAGES = 50;

/**
 * Reads a page for each of the places, all with one statement: its key among them, and its rows, as many as the
 * placeholder `limit` says.
 *
 * @param conditions what its rows meet; `parentIs` is one for a list of rows of a parent
 */
export function pagesQuery(
  source: ListSource,
  sort: KeysetSort,
  bounds: Pick<PageBounds, 'backward' | 'after' | 'before'>,
  conditions: readonly (SQL | undefined)[],
): SQL {
  const columns = sql.join(Object.values(source.columns), sql`, `);
  const page = sql`select ${columns} from ${source.from}
    ${whereAll([...conditions, ...placeConditions(source, sort, bounds)])}
    order by ${orderBy(source, sort, bounds)} limit ${sql.placeholder('limit')}`;
  return sql`select place.key, ${jsonRows(source.columns, page)} from ${PLACES}`;
}

/** That a row belongs to the parent of the place. */
export function parentIs(parent: PgColumn): SQL {
  return sql`${parent} = place.parent`;
}

/** The where clause of all conditions that are there; nothing when none is. */
export function whereAll(conditions: readonly (SQL | undefined)[]): SQL {
  const present = conditions.filter((condition) => condition !== undefined);
  return present.length === 0 ? sql`` : sql`where ${sql.join(present, sql` and `)}`;
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
function orderBy(source: ListSource, { by, descending }: KeysetSort, { backward }: Pick<PageBounds, 'backward'>): SQL {
  const direction = descending === backward ? sql`asc` : sql`desc`;
  const id = sql`${source.id} ${direction}`;
  return by === undefined ? id : sql`${by.expression} ${direction}, ${id}`;
}

function asText(id: Int64 | undefined): string | undefined {
  return id === undefined ? undefined : String(id);
}
