import { type Column, type GetColumnData, is } from 'drizzle-orm';
import { PgArray, PgBoolean } from 'drizzle-orm/pg-core';
import { type Int64, parseInt64 } from '../int64.ts';
import type { RawRow } from './driver.ts';

/** Decodes a computed column of a result, such as a count. */
export type Decoder<T> = (value: unknown) => T;

/** The columns that a statement returns, in their order. */
export type Shape = Readonly<Record<string, Column | Decoder<unknown>>>;

export type RowOf<S extends Shape> = {
  -readonly [K in keyof S]: S[K] extends Column
    ? GetColumnData<S[K], 'query'>
    : S[K] extends Decoder<infer T>
      ? T
      : never;
};

/** Compiles one object literal: setting the properties in a loop takes five times as long. */
export function rowReader<S extends Shape>(shape: S): (raw: RawRow) => RowOf<S> {
  const names = Object.keys(shape);
  const fields = names.map((name, n) => `${JSON.stringify(name)}: raw[${n}] === null ? null : decode${n}(raw[${n}])`);
  const compile = new Function(...names.map((_, n) => `decode${n}`), `return (raw) => ({ ${fields.join(', ')} });`);
  return compile(...Object.values(shape).map(decoderOf));
}

function decoderOf(column: Column | Decoder<unknown>): Decoder<unknown> {
  if (typeof column === 'function') return column;
  const type = column.getSQLType();
  if (type === 'bigint' || type === 'bigserial') return readInt8;
  if (type === 'integer' || type.endsWith('serial')) return Number;
  if (is(column, PgBoolean)) return readBoolean;
  if (column instanceof PgArray) {
    if (is(column.baseColumn, PgArray)) throw new Error(`${column.name} must be a list of values, not of lists.`);
    const { baseColumn } = column;
    // TypeScript's type of such a list has no numbers.
    const isWide = baseColumn.dataType === 'bigint';
    const readItem = isWide ? (item: unknown) => baseColumn.mapFromDriverValue(item) : decoderOf(baseColumn);
    return (value) => {
      const items = typeof value === 'string' ? parseArray(value) : (value as unknown[]);
      return items.map((item) => (item === null ? null : readItem(item)));
    };
  }
  if (!type.startsWith('timestamp')) return (value) => column.mapFromDriverValue(value);
  // The values of a column without a time zone are no instants.
  if (type.endsWith('with time zone') && column.dataType === 'date') return (value) => parseTimestamp(String(value));
  throw new Error(`${column.name} must be an instant: declare it as timestamp({ withTimezone: true, mode: 'date' }).`);
}

/** An int8 is always text, because a number would round it. */
function readInt8(value: unknown): Int64 | undefined {
  const text = value as string;
  return text.length < 16 ? Number(text) : parseInt64(text);
}

/** Within a text of several values, true is `t`. */
function readBoolean(value: unknown): boolean {
  return value === true || value === 't';
}

/** Parses an array of one dimension, `{a,"b \\"c\\"",NULL}` (PostgreSQL, section 8.15.6). Drizzle drops backslashes. */
function parseArray(text: string): (string | null)[] {
  return [...text.matchAll(/"((?:[^"\\]|\\.)*)"|[^{},]+/gs)].map(([plain, quoted]) => {
    if (quoted !== undefined) return quoted.replaceAll(/\\(.)/gs, '$1');
    return plain === 'NULL' ? null : plain;
  });
}

/**
 * Converts PostgreSQL's `2026-01-31 08:00:00+00` to `2026-01-31T08:00:00+00:00`, because `Date` is only specified for the
 * latter. A regular expression would take as long as `Date` itself. `infinity` is an invalid date.
 */
function parseTimestamp(text: string): Date {
  if (text.endsWith('y')) return new Date(Number.NaN);
  return new Date(`${text.slice(0, 10)}T${text.slice(11)}:00`);
}
