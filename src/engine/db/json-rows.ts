import { type Column, type SQL, sql } from 'drizzle-orm';
import { PgColumn } from 'drizzle-orm/pg-core';
import { type Decoder, type RowOf, rowReader, type Shape } from './row.ts';

/**
 * The rows of a query as one JSON text, so that a statement can return several lists. An int8 is a string in it,
 * because `JSON.parse` would round it.
 */
export function jsonRows(shape: Shape, query: SQL): SQL {
  const columns = Object.values(shape);
  const names = columns.map((_, index) => sql.identifier(`c${index}`));
  const values = columns.map((column, index) =>
    isInt8(column) ? sql`row.${names[index]}::text` : sql`row.${names[index]}`,
  );
  return sql`(select json_agg(json_build_array(${list(values)}))::text from (${query}) as row(${list(names)}))`;
}

/** Decodes that value; it is null for an empty list, which the caller has to handle. */
export function rowsOf<S extends Shape>(shape: S): Decoder<readonly RowOf<S>[]> {
  const toRow = rowReader(shape);
  return { decode: (value) => (JSON.parse(value as string) as unknown[][]).map(toRow) };
}

function isInt8(column: Column | Decoder<unknown>): boolean {
  return column instanceof PgColumn && column.getSQLType() === 'bigint';
}

function list(parts: readonly SQL.Aliased[] | readonly unknown[]): SQL {
  return sql.join(parts as SQL[], sql`, `);
}
