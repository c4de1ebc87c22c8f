import { type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { isStorable } from '../text.ts';
import type { RangeFilter } from './keyset.ts';
import type { Sort } from './paging.ts';

/**
 * A name as lists order and find it: without regard to case, and byte by byte whatever the database's collation. Which
 * letters beyond ASCII have another case is for the database's locale to say. An index on this very expression, followed
 * by the id, serves the sorts and the filter below.
 */
export function nameKey(column: PgColumn): SQL {
  return foldCase(sql`${column}`);
}

/** The sorts `name` and `name_desc`. */
export function nameSorts<Row extends { readonly name: string }>(column: PgColumn) {
  const by: NonNullable<Sort<Row>['by']> = {
    expression: nameKey(column),
    toComparable: foldCase,
    valueOf: (row) => row.name,
    isValue: isStorable,
  };
  return { name: { by, descending: false }, name_desc: { by, descending: true } } satisfies Record<string, Sort<Row>>;
}

/**
 * The filter `name`: names that begin with the placeholder's text. A range, for an index serves no `like` whose pattern
 * is a parameter; no name is longer than its end, which goes on with the greatest character.
 */
export function namePrefix(column: PgColumn, longestName: number): RangeFilter {
  // As queries of their own they are worked out once, and not for each row.
  const prefix = sql`lower(${sql.placeholder('name')}::text)`;
  const end = sql`${prefix} || repeat(chr(1114111), ${sql.raw(String(longestName))})`;
  const condition = sql`${nameKey(column)} >= (select ${prefix}) collate "C" and ${nameKey(column)} <= (select ${end}) collate "C"`;
  return { condition, sorts: ['name', 'name_desc'] };
}

function foldCase(text: SQL): SQL {
  return sql`(lower(${text}) collate "C")`;
}
