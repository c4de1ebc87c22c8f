import { expect, test } from 'vitest';
import { createPool } from '../../../src/engine/db/pool.ts';

/** A pool whose clients have numbers. */
function poolOf(size: number) {
  const clients: { readonly number: number; isLost: boolean }[] = [];
  const closed: number[] = [];
  const pool = createPool<(typeof clients)[number]>(size, {
    open() {
      const client = { number: clients.length, isLost: false };
      clients.push(client);
      return client;
    },
    close: async ({ number }) => void closed.push(number),
  });
  const take = (timeout = 1_000, caller?: string) => {
    const use = { client: undefined as number | undefined, finish: () => {}, lose: () => {} };
    const done = pool.use(
      (client) =>
        new Promise<void>((finish) => {
          use.client = client.number;
          use.finish = finish;
          use.lose = () => {
            client.isLost = true;
            finish();
          };
        }),
      timeout,
      caller,
    );
    // A test may end before what it has left waiting is rejected.
    done.catch(() => {});
    return Object.assign(use, { done });
  };
  const close = (number: number) => Object.assign(clients[number] ?? {}, { isLost: true });
  return { pool, take, closed, close };
}

const moment = () => new Promise((resolve) => setTimeout(resolve, 5));

test('each use has its own connection; further ones wait, and get one in their order', async () => {
  const { take } = poolOf(2);
  const [first, second, third, fourth] = [take(), take(), take(), take()];
  expect([first, second, third].map(({ client }) => client)).toEqual([0, 1, undefined]);
  second.finish();
  await moment();
  expect([third.client, fourth.client]).toEqual([1, undefined]);
  first.finish();
  await moment();
  expect(fourth.client).toBe(0);
  expect(take().client).toBeUndefined();
});

test('work that has waited too long is rejected, and never starts', async () => {
  const { take } = poolOf(1);
  const first = take();
  const late = take(10);
  await expect(late.done).rejects.toMatchObject({ code: 'UNAVAILABLE', headers: { 'retry-after': '1' } });
  first.finish();
  await moment();
  expect(late.client).toBeUndefined();
  expect(take().client).toBe(0);
});

test('thousands of rejected waits leave nothing behind', async () => {
  const { take } = poolOf(1);
  const first = take();
  const outcomes = await Promise.allSettled(Array.from({ length: 20_000 }, () => take(10).done));
  expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set(['rejected']));
  first.finish();
  await moment();
  expect(take().client).toBe(0);
});

test('a connection is free again after work that fails', async () => {
  const { pool, take } = poolOf(1);
  await expect(pool.use(() => Promise.reject(new Error('No.')), 100)).rejects.toThrow('No.');
  expect(take().client).toBe(0);
});

test('a connection that is lost in use is closed at once, so that the server ends its work, and replaced', async () => {
  const { pool, take, closed } = poolOf(1);
  const [first, second] = [take(), take()];
  first.lose();
  await moment();
  expect([closed, second.client]).toEqual([[0], 1]);
  second.lose();
  await moment();
  expect(closed).toEqual([0, 1]);
  expect(take().client).toBe(2);
  await pool.end(0);
  expect(closed).toEqual([0, 1, 2]);
});

test('a connection that is closed while idle is not used again', async () => {
  const { take, closed, close } = poolOf(2);
  const [first, second] = [take(), take()];
  for (const { finish } of [first, second]) finish();
  await moment();
  close(1);
  close(0);
  expect(take().client).toBe(2);
  expect(closed).toEqual([1, 0]);
});

test('no more connections are opened than are used at once', async () => {
  const { take } = poolOf(10);
  for (let n = 0; n < 20; n++) {
    const pair = [take(), take()];
    expect(pair.map(({ client }) => client).sort()).toEqual([0, 1]);
    for (const { finish } of pair) finish();
    await Promise.all(pair.map(({ done }) => done));
  }
});

test('a pool that has ended opens no connection, and rejects waiting work', async () => {
  const { pool, take, closed } = poolOf(1);
  const [first, second, third] = [take(), take(), take()];
  await pool.end(1);
  for (const { done } of [second, third]) await expect(done).rejects.toThrow('The service is stopping.');
  first.finish();
  await first.done;
  await expect(take().done).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  expect([closed, second.client, third.client]).toEqual([[0], undefined, undefined]);
});

test('one caller never has all connections, and waiting callers take turns', async () => {
  const { take } = poolOf(3);
  const greedy = Array.from({ length: 5 }, () => take(1_000, 'greedy'));
  expect(greedy.map(({ client }) => client !== undefined)).toEqual([true, true, false, false, false]);
  const other = take(1_000, 'other');
  expect(other.client).toBe(2);
  const [second, third] = [take(1_000, 'second'), take(1_000, 'third')];
  // Both come before the greedy caller, which has waited longer but already has a connection.
  greedy[0]?.finish();
  await moment();
  other.finish();
  await moment();
  expect([second.client, third.client, greedy[2]?.client]).toEqual([0, 2, undefined]);
  greedy[1]?.finish();
  await moment();
  expect(greedy[2]?.client).toBe(1);
  second.finish();
  third.finish();
  await moment();
  expect([greedy[3]?.client, greedy[4]?.client]).toEqual([2, undefined]);
});

test('callers take turns on a single connection', async () => {
  const { take } = poolOf(1);
  const [first, again, other] = [take(1_000, 'one'), take(1_000, 'one'), take(1_000, 'two')];
  expect(first.client).toBe(0);
  first.finish();
  await moment();
  again.finish();
  await moment();
  expect(other.client).toBe(0);
});
