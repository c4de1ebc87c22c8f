import { sql } from 'drizzle-orm';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../../src/engine/db/client.ts';
import type { Decoder } from '../../../src/engine/db/row.ts';
import { administer } from '../../support/admin.ts';
import { runsOf } from '../../support/cases.ts';
import { copyTestDatabase, databaseKind, openTestDatabase, type TestDatabase } from '../../support/database.ts';

let opened: TestDatabase;

beforeAll(async () => {
  opened = await openTestDatabase();
});
afterAll(() => opened?.dispose());

/** The value that the database received, as JSON, which has one format for each type. */
const asJson: Decoder<unknown> = (value) => JSON.parse(String(value));

/** Sends values as a parameter of the type, and gives the value that arrived. */
async function arrived(type: string, value: unknown, database = opened.database): Promise<unknown> {
  const query = sql`select to_json(${sql.placeholder('value')}::${sql.raw(type)})::text`;
  const read = database.statement(`test.${type}`, 'lookup', query, { value: asJson });
  const [row] = await read({ value });
  return row?.value ?? null;
}

const STATUSES = ['available', 'pending', 'sold'];
const storable = fc.string({ unit: 'binary' }).filter((text) => text.isWellFormed() && !text.includes('\0'));
const hostile = fc.string({ unit: fc.constantFrom(',', '"', '\\', '{', '}', ' ', 'null', 'NULL', "'", '\n', 'a') });
const instants = fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true });

/** Each type of a parameter, its values, and their JSON. */
const types: readonly [string, fc.Arbitrary<unknown>, (value: never) => unknown][] = [
  ['text', fc.oneof(storable, hostile), (value) => value],
  ['bigint', fc.bigInt({ min: -(2n ** 53n) + 1n, max: 2n ** 53n - 1n }), (value) => Number(value)],
  ['integer', fc.integer(), (value) => value],
  ['double precision', fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => value + 0],
  ['boolean', fc.boolean(), (value) => value],
  ['pet_status', fc.constantFrom(...STATUSES), (value) => value],
  ['timestamptz', instants, (value: Date) => value.getTime()],
];

describe('the parameters of a statement arrive unchanged', () => {
  test.each(types)('%s', async (type, values, toJson) => {
    const fromDatabase = (value: unknown) => (type === 'timestamptz' ? new Date(String(value)).getTime() : value);
    const check = async (value: unknown) => {
      expect(fromDatabase(await arrived(type, value))).toEqual(toJson(value as never));
    };
    await fc.assert(fc.asyncProperty(values, check), { numRuns: runsOf(100) });
  });

  test.each(types)('%s[]', async (type, values, toJson) => {
    const fromDatabase = (value: unknown) =>
      type === 'timestamptz' && value !== null ? new Date(String(value)).getTime() : value;
    const lists = fc.array(fc.option(values), { maxLength: 8 });
    const check = async (list: readonly unknown[]) => {
      const came = (await arrived(`${type}[]`, list)) as readonly unknown[];
      expect(came.map(fromDatabase)).toEqual(list.map((value) => (value === null ? null : toJson(value as never))));
    };
    await fc.assert(fc.asyncProperty(lists, check), { numRuns: runsOf(100) });
  });

  test.each(['text', 'bigint', 'integer', 'boolean', 'timestamptz'])(
    '%s: null and undefined are null',
    async (type) => {
      expect(await arrived(type, null)).toBeNull();
      expect(await arrived(type, undefined)).toBeNull();
      expect(await arrived(`${type}[]`, null)).toBeNull();
    },
  );
});

test('a value that no column can have is an error, and nothing is sent', async () => {
  await expect(arrived('text', { a: 1 })).rejects.toThrow('A statement cannot take object: pass JSON as text.');
  await expect(arrived('text[]', [['a']])).rejects.toThrow('A statement cannot take object: pass JSON as text.');
});

if (databaseKind === 'server') {
  test('doubles keep their digits, and lists their nulls, where the database has settings for old clients', async () => {
    const { location, dispose } = await copyTestDatabase();
    onTestFinished(dispose);
    const url = location.url as string;
    for (const setting of ['extra_float_digits = 0', 'array_nulls = off']) {
      await administer(url, `alter database ${new URL(url).pathname.slice(1)} set ${setting}`);
    }
    const database = await openDatabase(location);
    expect(await arrived('double precision', 0.1 + 0.2, database)).toBe(0.1 + 0.2);
    expect(await arrived('text[]', ['a', null], database)).toEqual(['a', null]);
    await database.close();
  });
}
