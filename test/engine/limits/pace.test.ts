import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Pace } from '../../../src/engine/limits/pace.ts';

function paceOf(max: number) {
  const pace = new Pace(max);
  const started: string[] = [];
  const start = async (caller: string, size: number, name: string) => {
    await pace.next(caller, size);
    started.push(name);
  };
  return { started, start };
}

test('work up to the maximum starts at once', async () => {
  const { started, start } = paceOf(10);
  await Promise.all([start('one', 4, 'a'), start('one', 6, 'b'), start('two', 10, 'c')]);
  expect(started).toEqual(['a', 'b', 'c']);
});

test('further work waits, in its order, and does not hold up other callers', async () => {
  const { started, start } = paceOf(10);
  for (const [name, size] of [
    ['a', 8],
    ['b', 8],
    ['c', 2],
    ['d', 30],
    ['e', 1],
  ] as const) {
    void start('greedy', size, name);
  }
  void start('other', 10, 'x');
  await Promise.resolve();
  await Promise.resolve();
  expect(started.splice(0).join('')).toBe('ax');
  await expect.poll(() => started.join('')).toBe('bcde');
});

test('work that waits longer than it may is rejected, and does not take a turn', async () => {
  const pace = new Pace(1, { milliseconds: 20, error: () => new Error('too long') });
  const until = performance.now() + 50;
  setImmediate(() => {
    while (performance.now() < until);
  });
  expect(pace.next('one', 1)).toBeUndefined();
  await expect(pace.next('one', 1)).rejects.toThrow('too long');
  await sleep(200);
  expect(pace.next('one', 1)).toBeUndefined();
});
