import { type SQL, sql } from 'drizzle-orm';
import { type Decoder, type RowOf, rowReader, type Shape } from './row.ts';

/** A query's rows as one text, so that a statement can return several lists: made in two thirds of the time of JSON. */
export function recordRows(query: SQL): SQL {
  return sql`(select string_agg((row.*)::text, E'\n') from (${query}) as row)`;
}

/** Decodes that text; it is null for an empty list, which the caller has to handle. */
export function rowsOf<S extends Shape>(shape: S): Decoder<readonly RowOf<S>[]> {
  const toRow = rowReader(shape);
  return (value) => parseRecords(value as string).map(toRow);
}

/**
 * Parses the texts of rows, `(1,,"a ""b""")`, with a line feed between two (PostgreSQL, section 8.16.6). An empty field
 * is null. A quoted one has its quotes and backslashes doubled.
 */
function parseRecords(text: string): (string | null)[][] {
  const rows: (string | null)[][] = [];
  let at = 0;
  while (at < text.length) {
    const row: (string | null)[] = [];
    // Each field follows a parenthesis or a comma.
    do {
      const start = at + 1;
      if (text.charCodeAt(start) === QUOTE) {
        at = closingQuote(text, start) + 1;
        row.push(text.slice(start + 1, at - 1).replaceAll(/""|\\\\/g, ([character]) => character as string));
      } else {
        at = endOfPlain(text, start);
        row.push(at === start ? null : text.slice(start, at));
      }
    } while (text.charCodeAt(at) === COMMA);
    rows.push(row);
    at += ')\n'.length;
  }
  return rows;
}

const [QUOTE, COMMA, CLOSING] = ['"', ',', ')'].map((character) => character.charCodeAt(0)) as [number, number, number];

function closingQuote(text: string, start: number): number {
  let at = text.indexOf('"', start + 1);
  while (text.charCodeAt(at + 1) === QUOTE) at = text.indexOf('"', at + 2);
  return at;
}

function endOfPlain(text: string, start: number): number {
  let at = start;
  for (let code = text.charCodeAt(at); code !== COMMA && code !== CLOSING; code = text.charCodeAt(at)) at++;
  return at;
}
