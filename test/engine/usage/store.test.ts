import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Database } from '../../../src/engine/db/client.ts';
import { DatabaseError } from '../../../src/engine/db/violations.ts';
import { ServiceError } from '../../../src/engine/errors.ts';
import type { Annotated } from '../../../src/engine/lifecycle/annotated.ts';
import { lifecycleStore } from '../../../src/engine/usage/store.ts';

const pet = { coordinate: 'Query.pet' } as Annotated;
const rest = { names: new Map(), successors: new Map(), answered: new Set<string>() };

/** The statements that were begun, each with the number of uses that it stores. */
let begun: string[];
/** What each statement does. */
let run: () => Promise<void>;
let failures: unknown[];
let store: ReturnType<typeof lifecycleStore>;

beforeEach(() => {
  vi.useFakeTimers();
  begun = [];
  run = async () => {};
  failures = [];
  const statement = (name: string) => async (values: { counts?: string }) => {
    const counts: readonly { uses: number }[] = JSON.parse(values.counts ?? '[]');
    begun.push(`${name} ${counts.reduce((sum, { uses }) => sum + uses, 0)}`);
    await run();
    return [];
  };
  store = lifecycleStore({ statement } as unknown as Database, {
    annotated: [pet],
    rest,
    clock: () => new Date(),
    isRehearsal: false,
    onFailure: (error) => failures.push(error),
  });
});
afterEach(() => {
  vi.useRealTimers();
});

test('uses are stored within two seconds, and then those that come after', async () => {
  for (let n = 0; n < 3; n++) store.count(pet, 'shop');
  await vi.advanceTimersByTimeAsync(2_000);
  expect(begun).toEqual(['lifecycle.addUses 3']);
  store.count(pet, 'shop');
  await vi.advanceTimersByTimeAsync(10_000);
  expect(begun).toEqual(['lifecycle.addUses 3', 'lifecycle.addUses 1']);
});

test('uses that cannot be stored are stored by themselves when the database is back', async () => {
  run = () => Promise.reject(new Error('away'));
  store.count(pet, 'shop');
  await vi.advanceTimersByTimeAsync(4_000);
  run = async () => {};
  await vi.advanceTimersByTimeAsync(10_000);
  expect(begun).toEqual(Array(3).fill('lifecycle.addUses 1'));
  expect(failures).toHaveLength(2);
});

test('counting begins by itself, since the start of the service, when a read-only database can be written to', async () => {
  run = () => Promise.reject(new ServiceError('UNAVAILABLE', 'The database is read-only.'));
  await store.begin();
  run = async () => {};
  await vi.advanceTimersByTimeAsync(10_000);
  expect(begun).toEqual(Array(2).fill('lifecycle.begin 0'));
  await store.flush();
  expect(begun).toHaveLength(2);
});

test('a start whose role may not store that fails, as the database will not change by itself', async () => {
  const denied = new DatabaseError('permission denied for table lifecycle_counting', '42501', undefined, undefined);
  run = () => Promise.reject(denied);
  await expect(store.begin()).rejects.toBe(denied);
  expect(vi.getTimerCount()).toBe(0);
});

test('the end of a flush is that of all before it, so that a stop loses no uses', async () => {
  let finish = () => {};
  run = () => new Promise((resolve) => (finish = resolve));
  store.count(pet, 'shop');
  const ends: string[] = [];
  const first = store.flush().then(() => ends.push('first'));
  await vi.advanceTimersByTimeAsync(0);
  const second = store.flush().then(() => ends.push('second'));
  await vi.advanceTimersByTimeAsync(0);
  expect(ends).toEqual([]);
  finish();
  await Promise.all([first, second]);
  expect(ends).toEqual(['first', 'second']);
});
