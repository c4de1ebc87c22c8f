import { sql } from 'drizzle-orm';
import { expect, test, vi } from 'vitest';
import { Database } from '../../../src/engine/db/client.ts';
import type { Query } from '../../../src/engine/db/driver.ts';
import { transact } from '../../../src/engine/db/transact.ts';
import { createTransactions, inOrder } from '../../../src/engine/db/transactions.ts';
import { DatabaseError, tooSlow, unavailable } from '../../../src/engine/db/violations.ts';

test('a change that fails has its own reason, even if it cannot be undone because the connection is lost', async () => {
  const sent: string[] = [];
  const query = inOrder(async (text) => {
    sent.push(text);
    if (text === 'update') throw tooSlow();
    if (text.startsWith('rollback')) throw unavailable(new Error('The connection is lost.'));
    return [];
  }, Promise.resolve());
  await expect(query('update', [], 'write')).rejects.toMatchObject({ code: 'TIMEOUT' });
  expect(sent).toEqual(['savepoint statement', 'update', 'rollback to savepoint statement']);
});

test('a failing read fails all later changes, none of which is sent, but not the process', async () => {
  const sent: string[] = [];
  const query = inOrder(async (text) => {
    sent.push(text);
    if (text === 'select failing') throw tooSlow();
    return [];
  }, Promise.resolve());
  await expect(query('select failing', [], 'lookup')).rejects.toMatchObject({ code: 'TIMEOUT' });
  await query('select', [], 'lookup');
  // Nobody may have waited for what would be an unhandled rejection, which fails this run.
  await new Promise(setImmediate);
  await expect(query('update', [], 'write')).rejects.toMatchObject({ code: 'TIMEOUT' });
  expect(sent).toEqual(['select failing', 'select']);
});

test('what comes during a change is sent when that has ended, or is undone', async () => {
  const sent: string[] = [];
  const query = inOrder(async (text) => {
    sent.push(text);
    await new Promise(setImmediate);
    if (text === 'update') throw new DatabaseError('Rejected.', '23505', undefined, undefined);
    return [];
  }, Promise.resolve());
  const change = query('update', [], 'write');
  const others = [query('select', [], 'lookup'), query('insert', [], 'write')];
  await expect(change).rejects.toThrow('Rejected.');
  await Promise.all(others);
  const savepoint = 'savepoint statement';
  expect(sent).toEqual([savepoint, 'update', `rollback to ${savepoint}`, 'select', savepoint, 'insert']);
});

const notUsed = () => Promise.reject(new Error('It is not used.'));

function databaseThat(send: Query): Database {
  return new Database({
    kind: 'server',
    query: notUsed,
    transaction: (work) => work(send, Promise.resolve()),
    close: notUsed,
  });
}

test('a connection whose transaction could not be rolled back is lost: the next one would commit it', async () => {
  const send = async (text: string) => {
    if (text === 'rollback') throw unavailable(new Error('The connection is lost.'));
    return { rows: [], command: '' };
  };
  const onLost = vi.fn();
  const failing = transact(send, () => Promise.reject(new Error('It failed.')), onLost);
  await expect(failing).rejects.toThrow('It failed.');
  expect(onLost).toHaveBeenCalledOnce();
});

test('a transaction waits for its turn until it must have ended, and no longer', async () => {
  const run = createTransactions(databaseThat(notUsed), 1, () => {});
  let end = () => {};
  const running = run('a', performance.now() + 60_000, () => new Promise<void>((resolve) => (end = resolve)));
  const work = vi.fn();
  await expect(run('b', performance.now() + 10, work)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  end();
  await running;
  expect(work).not.toHaveBeenCalled();
}, 5_000);

test('a transaction is left for other callers, however many one caller has', async () => {
  const run = createTransactions(databaseThat(notUsed), 2, () => {});
  const started: string[] = [];
  let end = () => {};
  const isOver = new Promise<void>((resolve) => {
    end = resolve;
  });
  const all = ['a', 'a', 'b'].map((caller) =>
    run(caller, performance.now() + 60_000, () => {
      started.push(caller);
      return isOver;
    }),
  );
  await new Promise(setImmediate);
  expect(started).toEqual(['a', 'b']);
  end();
  await Promise.all(all);
});

test('what work that has failed still sends is rejected, also during the next transaction', async () => {
  const sent: string[] = [];
  const database = databaseThat(async (text) => {
    sent.push(text);
    return [];
  });
  const run = createTransactions(database, 1, (own) => ({ change: own.statement('change', 'write', sql`update`, {}) }));
  const soon = () => performance.now() + 1_000;
  let sendLate: () => Promise<unknown> = notUsed;
  const failing = run('a', soon(), async ({ change }) => {
    sendLate = change;
    throw new Error('It failed.');
  });
  await expect(failing).rejects.toThrow('It failed.');
  await run('a', soon(), async ({ change }) => {
    await expect(sendLate()).rejects.toThrow('The transaction has ended.');
    await change();
  });
  expect(sent).toEqual(['savepoint statement', 'update']);
});
