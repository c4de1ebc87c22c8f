import { setImmediate as tick } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Batched, batched, batchWrites } from '../../../src/engine/db/batch.ts';
import { Database } from '../../../src/engine/db/client.ts';
import { DatabaseError, LockTimeout } from '../../../src/engine/db/violations.ts';
import { ServiceError } from '../../../src/engine/errors.ts';
import { parseJson } from '../../../src/engine/json.ts';

const MAX_IN_FLIGHT = 2;
const SLOW_AFTER = 100;
const MAX_BATCH_SIZE = 1_000;

const notUsed = () => Promise.reject(new Error('It is not used.'));
const sizes: number[] = [];
const database = new Database(
  { kind: 'embedded', query: notUsed, transaction: notUsed, close: notUsed },
  { statement: () => {}, batch: (_, size) => void sizes.push(size) },
);

/** A statement that is in flight until the test ends it. */
interface InFlight {
  readonly items: readonly number[];
  end(): void;
  fail(error: Error): void;
}

let inFlight: InFlight[] = [];

/** Gives ten times each number, when the test ends the statement. */
const slowly: Batched<number, number> = (items) =>
  new Promise((resolve, reject) => {
    inFlight.push({ items, end: () => resolve(items.map((item) => item * 10)), fail: reject });
  });

/** Waits until the batches that can be sent are sent. */
async function turn(): Promise<void> {
  await tick();
  await tick();
}

function rejection(items: readonly number[]): DatabaseError {
  return new DatabaseError(`Rejected: ${items}`, '23503', undefined, undefined);
}

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

beforeEach(() => {
  [inFlight, sizes.length] = [[], 0];
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => void vi.useRealTimers());

describe('batched calls', () => {
  test('share a statement when they come together, in their order, and each gets its own value', async () => {
    const call = batched(database, 'any', slowly);
    const calls = Promise.all([3, 1, 2].map(call));
    await turn();
    expect(inFlight.map(({ items }) => items)).toEqual([[3, 1, 2]]);
    expect(sizes).toEqual([3]);
    inFlight[0]?.end();
    expect(await calls).toEqual([30, 10, 20]);
  });

  test('wait while two statements are in flight, and then share the next', async () => {
    const call = batched(database, 'any', slowly);
    for (const item of range(1, 5)) {
      void call(item);
      await turn();
    }
    expect(inFlight.map(({ items }) => items)).toEqual([[1], [2]]);
    inFlight[1]?.end();
    await turn();
    expect(inFlight.map(({ items }) => items)).toEqual([[1], [2], [3, 4, 5]]);
  });

  test('have at most a thousand items per statement', async () => {
    const call = batched(database, 'any', slowly);
    const calls = Promise.all(range(1, 2_500).map(call));
    await turn();
    expect(inFlight.map(({ items }) => items.length)).toEqual([MAX_BATCH_SIZE, MAX_BATCH_SIZE]);
    for (const { end } of inFlight) end();
    await turn();
    expect(inFlight.slice(MAX_IN_FLIGHT).map(({ items }) => items)).toEqual([range(2_001, 2_500)]);
    inFlight[2]?.end();
    expect(await calls).toEqual(range(1, 2_500).map((item) => item * 10));
  });

  test('wait at most 100 ms for slow statements, whose own callers get their values at the end', async () => {
    const call = batched(database, 'any', slowly);
    const first = call(1);
    await turn();
    void call(2);
    await turn();
    const third = call(3);
    vi.advanceTimersByTime(SLOW_AFTER - 1);
    await turn();
    expect(inFlight).toHaveLength(MAX_IN_FLIGHT);
    vi.advanceTimersByTime(1);
    await turn();
    inFlight[2]?.end();
    expect(await third).toBe(30);
    inFlight[0]?.end();
    expect(await first).toBe(10);
  });

  test('have at most two statements in flight beside the slow ones, even after these have ended', async () => {
    const call = batched(database, 'any', slowly);
    for (const item of [1, 2]) {
      void call(item);
      await turn();
    }
    vi.advanceTimersByTime(SLOW_AFTER);
    for (const { end } of inFlight) end();
    await turn();
    for (const item of range(3, 9)) {
      void call(item);
      await turn();
    }
    expect(inFlight.map(({ items }) => items)).toEqual([[1], [2], [3], [4]]);
  });

  test('do not wait for the value of another call in their batch', async () => {
    const call = batched<number, number>(database, 'any', async (items) =>
      items.map((item) => (item === 1 ? new Promise<number>(() => {}) : item * 10)),
    );
    void call(1);
    expect(await Promise.all([call(2), call(3)])).toEqual([20, 30]);
  });
});

describe('a batch that fails', () => {
  test.each([
    ['the database rejects an item', rejection],
    ['an item waits too long for a locked row', () => new LockTimeout()],
  ])('because %s fails only that item, with its own error', async (_, errorOf) => {
    const done: number[] = [];
    const call = batched<number, number>(database, 'any', async (items) => {
      if (items.some((item) => item < 0)) throw errorOf(items);
      done.push(...items);
      return items.map((item) => item * 10);
    });
    const [one, bad, two, worse] = await Promise.allSettled([1, -1, 2, -2].map(call));
    expect([one, two]).toEqual([10, 20].map((value) => ({ status: 'fulfilled', value })));
    expect([bad, worse]).toEqual([-1, -2].map((item) => ({ status: 'rejected', reason: errorOf([item]) })));
    expect(done).toEqual([1, 2]);
  });

  test('with a single item is not run again', async () => {
    const run = vi.fn(() => Promise.reject(rejection([1])));
    await expect(batched(database, 'any', run)(1)).rejects.toThrow('Rejected: 1');
    expect(run).toHaveBeenCalledTimes(1);
  });

  test('because the database is unavailable fails only its own callers, and is not run again', async () => {
    const call = batched(database, 'any', slowly);
    const away = new ServiceError('UNAVAILABLE', 'Away.');
    const failing = Promise.allSettled([call(1), call(2)]);
    await turn();
    const beside = call(3);
    await turn();
    inFlight[0]?.fail(away);
    expect(await failing).toEqual([away, away].map((reason) => ({ status: 'rejected', reason })));
    inFlight[1]?.end();
    expect(await beside).toBe(30);
    const later = call(4);
    await turn();
    expect(inFlight.map(({ items }) => items)).toEqual([[1, 2], [3], [4]]);
    inFlight[2]?.end();
    expect(await later).toBe(40);
  });
});

describe('batched writes', () => {
  interface Item {
    readonly id: bigint;
  }
  const together = vi.fn(async ({ rows }: { readonly rows?: unknown } = {}) =>
    (parseJson(String(rows)) as { id: number | bigint; index: number }[])
      .map(({ id, index }) => ({ id: BigInt(id), by: 'together', index }))
      .filter(({ id }) => id !== 2n),
  );
  const alone = vi.fn(async ({ id }: Item) => ({ id, by: 'alone' }));
  const write = batchWrites<Item, Item & { by: string }>(database, 'any', together, alone);
  const ids = [1n, 2n, 9_223_372_036_854_775_807n];

  test('share a statement when they come together; an item that it skips is written alone', async () => {
    const written = await Promise.all(ids.map((id) => write({ id })));
    expect(written).toEqual(ids.map((id) => ({ id, by: id === 2n ? 'alone' : 'together' })));
    expect([together.mock.calls.length, alone.mock.calls.length]).toEqual([1, 1]);
  });

  test('are written alone when they come alone, or when the batch is rejected', async () => {
    vi.clearAllMocks();
    expect(await write({ id: 1n })).toEqual({ id: 1n, by: 'alone' });
    expect(together).not.toHaveBeenCalled();
    together.mockRejectedValueOnce(rejection([]));
    expect(await Promise.all(ids.map((id) => write({ id })))).toEqual(ids.map((id) => ({ id, by: 'alone' })));
  });
});
