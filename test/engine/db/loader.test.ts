import { setImmediate as tick } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { loaderOf } from '../../../src/engine/db/batch.ts';
import { Database } from '../../../src/engine/db/client.ts';

const MAX_BATCH_SIZE = 1_000;

const notUsed = () => Promise.reject(new Error('It is not used.'));
const database = new Database({ kind: 'embedded', query: notUsed, transaction: notUsed, close: notUsed });

describe('batched reads by key', () => {
  test('read each key once, and give the rows in the order of the keys, undefined for a missing row', async () => {
    const fetched: (readonly number[])[] = [];
    const { load: one, loadMany: many } = loaderOf(
      database,
      'any',
      async (keys: readonly number[]) => {
        fetched.push(keys);
        return keys.filter((key) => key < 100).toReversed();
      },
      (row) => row,
    );
    const answers = await Promise.all([many([3, 1, 3, 100]), one(1), one(100), many([])]);
    expect(answers).toEqual([[3, 1, 3, undefined], 1, undefined, []]);
    expect(fetched).toEqual([[3, 1, 100]]);
  });

  test('never use a statement that was sent before them', async () => {
    let stored = 'old';
    const ends: (() => void)[] = [];
    const { load: one } = loaderOf(
      database,
      'any',
      async (keys: readonly number[]) => {
        const rows = keys.map((key) => ({ key, stored }));
        await new Promise<void>((resolve) => ends.push(resolve));
        return rows;
      },
      ({ key }) => key,
    );
    const before = one(1);
    await tick();
    stored = 'new';
    const after = one(1);
    await tick();
    for (const end of ends) end();
    expect([(await before)?.stored, (await after)?.stored]).toEqual(['old', 'new']);
  });

  test('have at most a thousand keys per statement, even when one caller asks for more', async () => {
    const fetched: number[] = [];
    const { loadMany: many } = loaderOf(
      database,
      'any',
      async (keys: readonly number[]) => {
        fetched.push(keys.length);
        return keys;
      },
      (row) => row,
    );
    const keys = Array.from({ length: 2_500 }, (_, index) => index);
    expect(await many(keys)).toEqual(keys);
    expect(fetched).toEqual([MAX_BATCH_SIZE, MAX_BATCH_SIZE, 500]);
  });
});
