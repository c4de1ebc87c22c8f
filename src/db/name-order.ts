import { type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { isStorable } from '../text.ts';
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
export function namePrefix(column: PgColumn, longestName: number): SQL {
  const prefix = sql`lower(${sql.placeholder('name')}::text)`;
  const end = sql`(${prefix} || repeat(chr(1114111), ${sql.raw(String(longestName))})) collate "C"`;
  return sql`${nameKey(column)} >= ${prefix} collate "C" and ${nameKey(column)} <= ${end}`;
}

function foldCase(text: SQL): SQL {
  return sql`(lower(${text}) collate "C")`;
}
