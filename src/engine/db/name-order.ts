import { getTableColumns, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { isStorable } from '../text.ts';
import type { RowFilter, Sort } from './list.ts';

/**
 * How lists sort and find a name: case-insensitive (the database's locale decides beyond ASCII, and what the capital of `i`
 * is), and byte by byte whatever the collation. The sorts and the filter below need an index on exactly this expression,
 * followed by the id.
 */
export function nameKey(name: SQLWrapper): SQL {
  return sql`(lower(${name}) collate "C")`;
}

/** The sorts `name` and `name_desc`. */
export function nameSorts(column: PgColumn): Readonly<Record<'name' | 'name_desc', Sort<{ readonly name: string }>>> {
  const by = {
    expression: nameKey(column),
    toComparable: nameKey,
    valueOf: (row: { readonly name: string }) => row.name,
    isValue: isStorable,
  };
  return { name: { by, descending: false }, name_desc: { by, descending: true } };
}

/**
 * A filter for names, of at most `maxLength` characters, that start with a text. It is a range up to the text followed
 * by the greatest character, repeated: PostgreSQL uses no index for `like` with a parameter as its pattern.
 */
export function namePrefix(column: PgColumn, maxLength: number): (filter: string) => RowFilter {
  return (filter) => {
    // Subqueries are evaluated once, and not for each row.
    const prefix = sql`lower(${sql.placeholder(filter)}::text)`;
    const end = sql`${prefix} || repeat(chr(1114111), ${maxLength})`;
    const once = (bound: SQL) => sql`(select ${bound}) collate "C"`;
    // Sorted by another column, a page has no range of this one.
    const sorts = getTableColumns(column.table).name === column ? ['name', 'name_desc'] : [];
    return { expression: nameKey(column), from: once(prefix), until: once(end), sorts };
  };
}
