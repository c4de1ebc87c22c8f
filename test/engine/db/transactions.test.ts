import { expect, test } from 'vitest';
import { tooSlow, unavailable } from '../../../src/engine/db/failures.ts';
import { inOrder } from '../../../src/engine/db/transactions.ts';

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
