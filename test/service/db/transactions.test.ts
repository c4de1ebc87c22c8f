import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Query } from '../../../src/engine/db/driver.ts';
import { createTransactions } from '../../../src/engine/db/transactions.ts';
import { databaseKind, openTestDatabase, type TestDatabase } from '../../support/database.ts';

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

test('a transaction may take two seconds, however late its request must be answered', async () => {
  const run = createTransactions(opened.database, 1, (own) => ({
    read: own.statement('test.one', 'lookup', sql`select 1`, { one: Number }),
  }));
  const long = run('a', performance.now() + 60_000, async (made) => {
    await sleep(2_050);
    return made.read();
  });
  await expect(long).rejects.toMatchObject({ code: 'TIMEOUT' });
});

test('a statement that is sent when the work has ended is rejected, even while the transaction is still ending', async () => {
  const late: Promise<string>[] = [];
  const endBefore = (name: string) => (query: Query) => {
    const sendLate = () => query('insert into categories (name) values ($1)', [name]);
    setImmediate(() =>
      late.push(
        sendLate().then(
          () => 'done',
          (error: Error) => error.message,
        ),
      ),
    );
  };
  await opened.database.transaction(async (query) => endBefore('after the commit')(query));
  const undone = opened.database.transaction(async (query) => {
    endBefore('after the rollback')(query);
    throw new Error('undone');
  });
  await expect(undone).rejects.toThrow('undone');
  const ended = expect.stringMatching(/transaction has ended|transaction is closed/i);
  await expect.poll(() => Promise.all(late)).toEqual([ended, ended]);
  const names = opened.database.statement(
    'test.late',
    'lookup',
    sql`select name from categories where name like 'after%'`,
    {
      name: String,
    },
  );
  expect(await names()).toEqual([]);
});

// Without a server no statement takes too long.
if (databaseKind === 'server') {
  test('a transaction in which a failed read was ignored is reported as failed, because nothing of it is stored', async () => {
    const ignoring = opened.database.transaction(async (query) => {
      await query("insert into categories (name) values ('ignored')", []);
      await query('select 1 / 0', []).catch(() => {});
    });
    await expect(ignoring).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });
}
