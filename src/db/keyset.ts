import { type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { Place } from './cursor.ts';

/** The part of a list that its SQL is made of. */
export interface ListSource {
  readonly columns: Readonly<Record<string, PgColumn>>;
  /** The table, with what is joined to it. */
  readonly from: SQL;
  /** The key that ends every order, so that no two rows are at one place. */
  readonly id: PgColumn;
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

/** The values of the bounds' placeholders. One row more than the page has tells whether there is another page. */
export function boundsValues({ size, after, before }: PageBounds) {
  return {
    limit: size + 1,
    afterId: after?.id,
    afterValue: after?.value,
    beforeId: before?.id,
    beforeValue: before?.value,
  };
}

/** A page of the rows that meet all conditions; takes the values of `boundsValues`. */
export function pageQuery(
  source: ListSource,
  sort: KeysetSort,
  bounds: PageBounds,
  conditions: readonly (SQL | undefined)[],
): SQL {
  const columns = sql.join(Object.values(source.columns), sql`, `);
  return sql`select ${columns} from ${source.from}
    ${whereAll([...conditions, ...placeConditions(source, sort, bounds)])}
    order by ${orderBy(source, sort, bounds)} limit ${sql.placeholder('limit')}`;
}

/** A page for each of the `parents`, in the order of the ids; takes the values of `boundsValues`, too. */
export function nestedPageQuery(source: ListSource, parent: PgColumn, bounds: PageBounds, where: SQL | undefined): SQL {
  const page = pageQuery(source, { descending: false }, bounds, [where, sql`${parent} = parent.key`]);
  const id = sql`child.${sql.identifier(source.id.name)}`;
  return sql`select child.* from unnest(${sql.placeholder('parents')}::bigint[]) as parent(key)
    cross join lateral (${page}) as child order by ${id} ${bounds.backward ? sql`desc` : sql`asc`}`;
}

/** The where clause of all conditions that are there; nothing when none is. */
export function whereAll(conditions: readonly (SQL | undefined)[]): SQL {
  const present = conditions.filter((condition) => condition !== undefined);
  return present.length === 0 ? sql`` : sql`where ${sql.join(present, sql` and `)}`;
}

function placeConditions(source: ListSource, sort: KeysetSort, { after, before }: PageBounds): SQL[] {
  const [later, earlier] = sort.descending ? [sql`<`, sql`>`] : [sql`>`, sql`<`];
  return [
    ...(after === undefined ? [] : [sql`${sortTuple(source, sort)} ${later} ${placeTuple(sort, 'after')}`]),
    ...(before === undefined ? [] : [sql`${sortTuple(source, sort)} ${earlier} ${placeTuple(sort, 'before')}`]),
  ];
}

function sortTuple(source: ListSource, { by }: KeysetSort): SQL {
  return by === undefined ? sql`${source.id}` : sql`(${by.expression}, ${source.id})`;
}

function placeTuple({ by }: KeysetSort, side: 'after' | 'before'): SQL {
  const id = sql`${sql.placeholder(`${side}Id`)}::bigint`;
  if (by === undefined) return id;
  return sql`(${by.toComparable(sql`${sql.placeholder(`${side}Value`)}::text`)}, ${id})`;
}

/** A backward page is read from its end, and turned round afterwards. */
function orderBy(source: ListSource, { by, descending }: KeysetSort, { backward }: PageBounds): SQL {
  const direction = descending === backward ? sql`asc` : sql`desc`;
  const id = sql`${source.id} ${direction}`;
  return by === undefined ? id : sql`${by.expression} ${direction}, ${id}`;
}
