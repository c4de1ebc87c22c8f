import { expect, test } from 'vitest';
import { batchedByShape } from '../../../src/engine/db/batch-by-shape.ts';
import { Database } from '../../../src/engine/db/client.ts';

const notUsed = () => Promise.reject(new Error('It is not used.'));
const database = new Database({ kind: 'embedded', query: notUsed, transaction: notUsed, close: notUsed });

/** Asks for values by statements that only end when the test ends them. */
function askable() {
  const compiled: string[] = [];
  const ends = new Map<unknown, (error?: Error) => void>();
  const ask = batchedByShape(
    database,
    'any',
    ({ shape }: { shape: string; values: Readonly<Record<string, unknown>> }) => {
      compiled.push(shape);
      return ({ id } = {}) =>
        new Promise<string[]>((resolve, reject) => {
          ends.set(id, (error) => (error === undefined ? resolve([`${shape} ${id}`]) : reject(error)));
        });
    },
    async (statement, requests) => {
      const [found] = await statement(requests[0].values);
      return requests.map(() => found);
    },
  );
  return { compiled, ends, ask };
}

const sent = () => new Promise((resolve) => setTimeout(resolve, 5));

test('requests that are alike share a statement, and the statements of a shape are compiled once', async () => {
  const { compiled, ends, ask } = askable();
  const long = 9_007_199_254_740_993n;
  const all = [1, long, 2].map((id) => ask({ shape: 'a', values: { id } }));
  all.push(ask({ shape: 'b', values: { id: 3 } }));
  await sent();
  expect([compiled, [...ends.keys()]]).toEqual([
    ['a', 'b'],
    [1, long, 2, 3],
  ]);
  const same = [2, 2].map((id) => ask({ shape: 'a', values: { id } }));
  for (const end of ends.values()) end();
  expect(await Promise.all(all)).toEqual(['a 1', `a ${long}`, 'a 2', 'b 3']);
  ends.clear();
  await sent();
  expect([...ends.keys()]).toEqual([2]);
  ends.get(2)?.();
  expect(await Promise.all(same)).toEqual(['a 2', 'a 2']);
});

test('other requests neither wait for a slow one nor fail with it', async () => {
  const { ends, ask } = askable();
  const [slow, quick] = [1, 2].map((id) => ask({ shape: 'a', values: { id } }));
  await sent();
  ends.get(2)?.();
  expect(await quick).toBe('a 2');
  ends.get(1)?.(new Error('It took too long.'));
  await expect(slow).rejects.toThrow('It took too long.');
});
