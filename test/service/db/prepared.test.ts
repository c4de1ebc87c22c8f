import { describe, expect, test } from 'vitest';
import { databaseKind, openTestDatabase } from '../../support/database.ts';

describe('statements are prepared', () => {
  test('each once, whatever its values', async () => {
    const { database, dispose } = await openTestDatabase();
    await database.transaction(async (query) => {
      const text = 'select $1::int + 1';
      for (const value of [1, 2, 3]) expect(await query(text, [value])).toEqual([[value + 1]]);
      const runs = 'select (generic_plans + custom_plans)::int from pg_prepared_statements where statement = $1';
      expect(await query(runs, [text])).toEqual([[3]]);
    });
    await dispose();
  });

  test('and work after one of them has failed, when it is parsed or when it runs', async () => {
    const { database, dispose } = await openTestDatabase();
    const { driver } = database;
    await expect(driver.query('select nothing', [], 'lookup')).rejects.toMatchObject({ state: '42703' });
    const quotient = (by: number) => driver.query('select 6 / $1::int', [by], 'lookup');
    await expect(quotient(0)).rejects.toMatchObject({ state: '22012' });
    expect(await quotient(2)).toEqual([[3]]);
    await dispose();
  });

  test('and return values of many megabytes', async () => {
    const { database, dispose } = await openTestDatabase();
    const long = 'ä\u{1f415}'.repeat(1_000_000);
    expect(await database.driver.query('select $1::text', [long], 'lookup')).toEqual([[long]]);
    await dispose();
  });

  if (databaseKind === 'embedded') {
    test('and at most 200 stay so, those that were used last', async () => {
      const { database, dispose } = await openTestDatabase();
      const { driver } = database;
      const often = "select 'often'";
      for (let n = 0; n < 500; n++) {
        await driver.query(`select ${n}`, [], 'lookup');
        await driver.query(often, [], 'lookup');
      }
      const kept = await driver.query('select statement from pg_prepared_statements', [], 'lookup');
      expect(kept).toHaveLength(200);
      expect(kept).toContainEqual([often]);
      expect(kept).toContainEqual(['select 499']);
      await dispose();
    });
  }
});
