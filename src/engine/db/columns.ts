import { getTableName, is, type SQL, sql } from 'drizzle-orm';
import { bigint, type CheckBuilder, check, PgArray, type PgColumn, PgEnumColumn } from 'drizzle-orm/pg-core';
import type { Int64 } from '../int64.ts';

/** A column of 64-bit integers, such as the ids of another table. */
export function int64Column(name: string) {
  return bigint(name, { mode: 'bigint' }).$type<Int64>();
}

/** The primary key `id`, which the database assigns. */
export function idColumn() {
  return int64Column('id').primaryKey().generatedByDefaultAsIdentity();
}

/** The version column, which starts at 1: each statement that changes a value of the row adds one. */
export function versionColumn() {
  return bigint('version', { mode: 'number' }).notNull().default(1);
}

/** The constraint on the length of a text; null passes. */
export function lengthCheck(column: PgColumn, { min, max }: Readonly<Record<'min' | 'max', number>>): CheckBuilder {
  const range = sql.raw(min === 0 ? `<= ${max}` : `between ${min} and ${max}`);
  return check(`${getTableName(column.table)}_${column.name}_length`, sql`char_length(${column}) ${range}`);
}

export function isInteger(column: PgColumn): boolean {
  return /^(small|big)?(int|integer|serial)$/.test(column.getSQLType());
}

/** The type of a column in SQL. The name of an enum is quoted, because Drizzle creates it with quotes. */
export function typeOf(column: PgColumn): SQL {
  if (is(column, PgArray)) return sql`${typeOf(column.baseColumn)}[]`;
  return is(column, PgEnumColumn) ? sql`${sql.identifier(column.enum.enumName)}` : sql.raw(column.getSQLType());
}
