import { expect, test } from 'vitest';
import { inOrder } from '../../../src/engine/db/transactions.ts';
import { tooSlow, unavailable } from '../../../src/engine/db/violations.ts';

test('a change that fails has its own reason, also if it cannot be undone because the connection is lost', async () => {
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

test('a read that fails fails all later changes, of which none is sent, and not the process', async () => {
  const sent: string[] = [];
  const query = inOrder(async (text) => {
    sent.push(text);
    throw tooSlow();
  }, Promise.resolve());
  await expect(query('select', [], 'lookup')).rejects.toMatchObject({ code: 'TIMEOUT' });
  // Nobody may have waited for what would be an unhandled rejection, which fails this run.
  await new Promise(setImmediate);
  await expect(query('update', [], 'write')).rejects.toMatchObject({ code: 'TIMEOUT' });
  expect(sent).toEqual(['select']);
});
