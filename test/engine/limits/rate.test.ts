import { expect, test } from 'vitest';
import type { Database } from '../../../src/engine/db/client.ts';
import { createRateLimiter } from '../../../src/engine/limits/rate.ts';

/** A limit of 10 units per minute, whose counts are stored when `answer` is called with what all processes have used. */
function sharedLimiter() {
  const now = { milliseconds: 600_000 };
  let answer = (_used: number): void => {};
  const statement = (name: string) => async (values: { readonly uses: string }) => {
    if (name !== 'limits.addUses') return [];
    const [{ caller, window }] = JSON.parse(values.uses);
    return new Promise((resolve) => {
      answer = (used) => resolve([{ caller, window, used }]);
    });
  };
  const database = { kind: 'server', statement } as unknown as Database;
  const limiter = createRateLimiter(
    { units: 10, seconds: 60 },
    database,
    () => now.milliseconds,
    (error) => expect.fail(String(error)),
  );
  const left = () => limiter.headersFor('me').at(-1);
  /** Stores what was charged; meanwhile, the work is done. */
  const store = async (used: number, meanwhile = () => {}) => {
    const stored = limiter.flush();
    await Promise.resolve();
    meanwhile();
    answer(used);
    await stored;
  };
  return { now, limiter, left, store };
}

test('what is charged while the counts are stored counts beside those of all processes', async () => {
  const { limiter, left, store } = sharedLimiter();
  limiter.charge('me', 2);
  await store(6, () => limiter.charge('me', 3));
  expect(left()).toBe('"default";r=1;t=60');
});

test('a window that ends while its counts are stored takes no units of the next', async () => {
  const { now, limiter, left, store } = sharedLimiter();
  limiter.charge('me', 2);
  await store(9, () => {
    now.milliseconds += 60_000;
    expect(left()).toBe('"default";r=10;t=60');
  });
  expect(left()).toBe('"default";r=10;t=60');
});

test('counts that a process with a later window has deleted are not given back', async () => {
  const { limiter, left, store } = sharedLimiter();
  limiter.charge('me', 5);
  await store(5);
  limiter.charge('me', 1);
  await store(1);
  expect(left()).toBe('"default";r=4;t=60');
});
