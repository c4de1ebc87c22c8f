import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { databaseKind, openTestDatabase, type TestDatabase } from '../../support/database.ts';

const LISTS = 100;
const WRITES = 30;

let opened: TestDatabase;

beforeEach(async () => {
  opened = await openTestDatabase();
});
afterEach(() => opened?.dispose());

function statementOf(kind: 'lookup' | 'list' | 'count' | 'write', rows = 1) {
  const count = sql`select count(*) from generate_series(1, ${sql.raw(`${rows}`)})`;
  return opened.database.statement(kind, kind, count, { n: Number });
}

// On a server, each kind has connections of its own.
if (databaseKind === 'embedded') {
  test('a read by id that arrives after many lists waits for few of them', async () => {
    const [list, lookup] = [statementOf('list', 10_000), statementOf('lookup')];
    let ended = 0;
    const lists = Array.from({ length: LISTS }, async () => {
      await list();
      ended++;
    });
    // Until the event loop reads what arrives.
    await sleep(1);
    await lookup();
    expect(ended).toBeLessThan(LISTS / 2);
    await Promise.all(lists);
  });

  test('changes that arrive together wait for few counts together, not for one each', async () => {
    const [count, write] = [statementOf('count', 10_000), statementOf('write')];
    let ended = 0;
    const counts = Array.from({ length: LISTS }, async () => {
      await count();
      ended++;
    });
    await sleep(1);
    await Promise.all(Array.from({ length: WRITES }, () => write()));
    expect(ended).toBeLessThan(WRITES / 2);
    await Promise.all(counts);
  });
}

test('a database closes after the statements that were sent', async () => {
  const list = statementOf('list');
  // As many of one group as a server runs at once: it rejects those that wait.
  const rows = Promise.all([list(), list()]);
  await Promise.all([rows, opened.database.close()]);
  expect(await rows).toHaveLength(2);
});
