import { getTableColumns, sql } from 'drizzle-orm';
import {
  bigint,
  bigserial,
  boolean,
  doublePrecision,
  integer,
  pgTable,
  serial,
  text,
  timestamp,
} from 'drizzle-orm/pg-core';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { recordRows, rowsOf } from '../../../src/engine/db/record-rows.ts';
import { runsOf } from '../../support/cases.ts';
import { openTestDatabase, type TestDatabase } from '../../support/database.ts';

let opened: TestDatabase;

beforeAll(async () => {
  opened = await openTestDatabase();
});
afterAll(() => opened?.dispose());

const table = pgTable('never_created', {
  text: text(),
  wide: bigint({ mode: 'bigint' }),
  integer: integer(),
  double: doublePrecision(),
  boolean: boolean(),
  instant: timestamp({ withTimezone: true, precision: 3, mode: 'date' }),
});
const columns = getTableColumns(table);

const texts = fc.oneof(
  fc.string({ unit: 'binary' }).filter((value) => value.isWellFormed() && !value.includes('\0')),
  fc.string({ unit: fc.constantFrom(',', '"', '\\', '(', ')', ' ', '\n', 'null', 'a') }),
);
const row = fc.record({
  text: fc.option(texts),
  wide: fc.option(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })),
  integer: fc.option(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })),
  double: fc.option(fc.double({ noNaN: true, noDefaultInfinity: true })),
  boolean: fc.option(fc.boolean()),
  instant: fc.option(fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })),
});

test('rows that a statement returns as one text are the same as rows returned one by one', async () => {
  const values = sql.join(
    ['a', 'b'].map(
      (name) => sql`select ${sql.placeholder(`${name}text`)}::text, ${sql.placeholder(`${name}wide`)}::bigint,
        ${sql.placeholder(`${name}integer`)}::integer, ${sql.placeholder(`${name}double`)}::double precision,
        ${sql.placeholder(`${name}boolean`)}::boolean, ${sql.placeholder(`${name}instant`)}::timestamptz`,
    ),
    sql` union all `,
  );
  const oneByOne = opened.database.statement('test.rows', 'lookup', values, columns);
  const together = opened.database.statement('test.text', 'lookup', sql`select ${recordRows(values)}`, {
    rows: rowsOf(columns),
  });
  const check = async (first: object, second: object) => {
    const given = Object.fromEntries([
      ...Object.entries(first).map(([name, value]) => [`a${name}`, value]),
      ...Object.entries(second).map(([name, value]) => [`b${name}`, value]),
    ]);
    const [[read], rows] = await Promise.all([together(given), oneByOne(given)]);
    expect(read?.rows).toEqual(rows);
  };
  await fc.assert(fc.asyncProperty(row, row, check), { numRuns: runsOf(100) });
});

test('a list of texts is returned as it was given, alone and with other rows', async () => {
  const list = text().array();
  const { list: column } = getTableColumns(pgTable('never_created_either', { list }));
  const values = sql`select ${sql.placeholder('list')}::text[]`;
  const alone = opened.database.statement('test.list', 'lookup', values, { list: column });
  const together = opened.database.statement('test.lists', 'lookup', sql`select ${recordRows(values)}`, {
    rows: rowsOf({ list: column }),
  });
  const check = async (given: (string | null)[]) => {
    expect(await alone({ list: given })).toEqual([{ list: given }]);
    expect(await together({ list: given })).toEqual([{ rows: [{ list: given }] }]);
  };
  await check(['NULL', 'null', '', ' ', '{}', null]);
  await fc.assert(fc.asyncProperty(fc.array(texts, { maxLength: 5 }), check), { numRuns: runsOf(100) });
});

test('lists of instants and of 64-bit integers, and the ids of serial columns, have the values of their types', async () => {
  const early = timestamp({ withTimezone: true, precision: 3, mode: 'date' }).array();
  const wide = bigint({ mode: 'bigint' }).array();
  const shape = getTableColumns(
    pgTable('never_created_three', { early, wide, small: serial(), big: bigserial({ mode: 'bigint' }) }),
  );
  const values = sql`select '{0001-01-01T00:00:00.001Z,0049-12-31T00:00:00Z}'::timestamptz[], array[1, 2::bigint ^ 60]::bigint[], 7, 8::bigint`;
  const alone = opened.database.statement('test.three', 'lookup', values, shape);
  const together = opened.database.statement('test.threes', 'lookup', sql`select ${recordRows(values)}`, {
    rows: rowsOf(shape),
  });
  const row = {
    early: [new Date('0001-01-01T00:00:00.001Z'), new Date('0049-12-31T00:00:00.000Z')],
    wide: [1n, 2n ** 60n],
    small: 7,
    big: 8,
  };
  expect(await alone()).toEqual([row]);
  expect(await together()).toEqual([{ rows: [row] }]);
});

const INSTANT = "at must be an instant: declare it as timestamp({ withTimezone: true, mode: 'date' }).";

test.each([
  ['a timestamp without a time zone', timestamp(), INSTANT],
  ['a list of timestamps without a time zone', timestamp('at').array(), INSTANT],
  ['an instant as a text', timestamp({ withTimezone: true, mode: 'string' }), INSTANT],
  ['a list of lists', integer().array().array(), 'at must be a list of values, not of lists.'],
])('%s stops the start', (_, builder, message) => {
  const { at } = getTableColumns(pgTable('never_created_too', { at: builder }));
  expect(() => opened.database.statement('test.local', 'lookup', sql`select null`, { at })).toThrow(message);
});

test('no rows are null', async () => {
  const none = sql`select 1 where false`;
  const read = opened.database.statement('test.none', 'lookup', sql`select ${recordRows(none)}`, {
    rows: rowsOf({ only: columns.integer }),
  });
  expect(await read()).toEqual([{ rows: null }]);
});

test('one column that is null is a row', async () => {
  const only = sql`select null::integer`;
  const read = opened.database.statement('test.only', 'lookup', sql`select ${recordRows(only)}`, {
    rows: rowsOf({ only: columns.integer }),
  });
  expect(await read()).toEqual([{ rows: [{ only: null }] }]);
});

test('infinity is an invalid date, because no date is', async () => {
  const values = sql`select 'infinity'::timestamptz union all select '-infinity'::timestamptz`;
  const shape = { instant: columns.instant };
  const oneByOne = opened.database.statement('test.infinite', 'lookup', values, shape);
  const together = opened.database.statement('test.infiniteText', 'lookup', sql`select ${recordRows(values)}`, {
    rows: rowsOf(shape),
  });
  const [[read], rows] = await Promise.all([together(), oneByOne()]);
  for (const { instant } of [...rows, ...(read?.rows ?? [])]) expect(instant?.getTime()).toBeNaN();
  expect(read?.rows).toHaveLength(2);
});
