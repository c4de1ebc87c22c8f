import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTransactions } from '../../../src/engine/db/transactions.ts';
import { openTestDatabase, type TestDatabase } from '../../support/database.ts';

let opened: TestDatabase;

beforeAll(async () => {
  opened = await openTestDatabase();
});
afterAll(() => opened?.dispose());

test('a transaction whose time ends between two statements is rolled back, and the next one does not commit it', async () => {
  const insert = sql`insert into categories (name) values (${sql.placeholder('name')})`;
  const run = createTransactions(opened.database, 1, (own) => ({
    insert: own.statement('test.insert', 'write', insert, {}),
  }));
  const latest = performance.now() + 300;
  const late = run('a', latest, async (made) => {
    await made.insert({ name: 'too late' });
    // As long as this takes, no timer can run.
    while (performance.now() <= latest);
  });
  await expect(late).rejects.toMatchObject({ code: 'TIMEOUT' });
  await run('a', performance.now() + 2_000, (made) => made.insert({ name: 'in time' }));
  const names = opened.database.statement('test.names', 'lookup', sql`select name from categories`, {
    name: String,
  });
  expect(await names()).toEqual([{ name: 'in time' }]);
});
