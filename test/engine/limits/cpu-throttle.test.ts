import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { CpuThrottle } from '../../../src/engine/limits/cpu-throttle.ts';

function throttleOf(max: number) {
  const throttle = new CpuThrottle(max);
  const started: string[] = [];
  const start = async (caller: string, size: number, name: string) => {
    await throttle.wait(caller, size);
    started.push(name);
    // Before the next turn.
    setImmediate(() => started.push('|'));
  };
  /** What has started, with a line between turns. */
  const turns = () => started.join('').replaceAll(/\|+/g, '|');
  return { started, start, turns };
}

test('work up to the maximum starts at once', async () => {
  const { started, start } = throttleOf(10);
  await Promise.all([start('one', 4, 'a'), start('one', 6, 'b'), start('two', 10, 'c')]);
  expect(started).toEqual(['a', 'b', 'c']);
});

test('further work waits for turns of the maximum, in its order, and does not hold up other callers', async () => {
  const { started, start, turns } = throttleOf(10);
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
  await expect.poll(turns).toBe('|bc|d|e|');
});

test('the pause before the next turn is as long as the last one', async () => {
  const throttle = new CpuThrottle(1);
  const until = performance.now() + 50;
  void throttle.wait('one', 1);
  const next = throttle.wait('one', 1);
  while (performance.now() < until);
  await next;
  expect(performance.now() - until).toBeGreaterThan(45);
});

test('nothing runs for a caller without work, whose next work is paced like the first', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { start, turns } = throttleOf(10);
  for (const pair of ['ab', 'cd']) {
    for (const name of pair) void start('one', 10, name);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(vi.getTimerCount()).toBe(0);
  }
  expect(turns()).toBe('a|b|c|d|');
});

test('work that waits longer than it may is rejected, and does not take a turn', async () => {
  const throttle = new CpuThrottle(1, { milliseconds: 20, error: () => new Error('too long') });
  const until = performance.now() + 50;
  setImmediate(() => {
    while (performance.now() < until);
  });
  expect(throttle.wait('one', 1)).toBeUndefined();
  await expect(throttle.wait('one', 1)).rejects.toThrow('too long');
  await sleep(200);
  expect(throttle.wait('one', 1)).toBeUndefined();
});

test('work whose client goes while it waits is rejected with the next turn, and does not take one', async () => {
  const throttle = new CpuThrottle(1);
  expect(throttle.wait('one', 1)).toBeUndefined();
  let hasGone = false;
  const [left, stayed] = [throttle.wait('one', 1, () => hasGone), throttle.wait('one', 1)];
  const ended: string[] = [];
  void stayed?.then(() => ended.push('stayed'));
  hasGone = true;
  await expect(left?.finally(() => ended.push('left'))).rejects.toThrow('The request was aborted.');
  await stayed;
  expect(ended).toEqual(['left', 'stayed']);
});
