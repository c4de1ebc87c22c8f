import type postgres from 'postgres';
import { expect, test } from 'vitest';
import { createPool } from '../../src/db/pool.ts';

/** A pool of clients that are numbers. */
function poolOf(size: number) {
  let opened = 0;
  const pool = createPool(size, () => opened++ as unknown as postgres.Sql);
  const take = () => {
    let taken = { connection: -1, finish: () => {}, fail: (_: Error) => {} };
    const done = pool.use(
      (connection) =>
        new Promise<void>((finish, fail) => {
          taken = { connection: Number(connection), finish, fail };
        }),
    );
    return { ...taken, done };
  };
  return { pool, take };
}

test('each use has a connection of its own, as long as there is one', () => {
  const { take } = poolOf(3);
  expect([take(), take(), take()].map(({ connection }) => connection)).toEqual([0, 1, 2]);
});

test('what is more shares the connection that has the least to do', async () => {
  const { take } = poolOf(2);
  const [, second, third] = [take(), take(), take()];
  expect(third.connection).toBe(0);
  expect(take().connection).toBe(1);
  second.finish();
  await second.done;
  expect(take().connection).toBe(1);
});

test('a connection is free again after a use that failed', async () => {
  const { take } = poolOf(2);
  const [first] = [take(), take()];
  first.fail(new Error('No.'));
  await expect(first.done).rejects.toThrow('No.');
  expect(take().connection).toBe(0);
});

test('few are opened where few are used at once', async () => {
  const { take } = poolOf(10);
  for (let n = 0; n < 20; n++) {
    const pair = [take(), take()];
    expect(pair.map(({ connection }) => connection)).toEqual([0, 1]);
    for (const { finish } of pair) finish();
    await Promise.all(pair.map(({ done }) => done));
  }
});
