import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { KeyedQueue } from '../../src/engine/queue.ts';

test('changes of one row run one after another, and at the same time as changes of other rows', async () => {
  const queue = new KeyedQueue();
  const log: string[] = [];
  const work = (name: string) => async () => {
    log.push(`${name} begins`);
    await sleep(5);
    log.push(`${name} ends`);
    return name;
  };
  const all = [queue.run('pet 1', work('a')), queue.run('pet 1', work('b')), queue.run('pet 2', work('c'))];
  expect(['pet 1', 'pet 2', 'pet 3'].map((key) => queue.lengthOf(key))).toEqual([2, 1, 0]);
  expect(await Promise.all(all)).toEqual(['a', 'b', 'c']);
  expect(queue.lengthOf('pet 1')).toBe(0);
  expect(log.slice(0, 2)).toEqual(['a begins', 'c begins']);
  expect(log.indexOf('b begins')).toBeGreaterThan(log.indexOf('a ends'));
});

test('after a change that fails, the next one runs', async () => {
  const queue = new KeyedQueue();
  const failing = queue.run('pet 1', () => Promise.reject(new Error('No.')));
  const next = queue.run('pet 1', async () => 'done');
  await expect(failing).rejects.toThrow('No.');
  expect(await next).toBe('done');
});

test('work that waits longer than the limit is rejected, and never starts', async () => {
  vi.useFakeTimers();
  try {
    const queue = new KeyedQueue({ milliseconds: 1_000, error: () => new Error('Too late.') });
    void queue.run('pet 1', () => new Promise(() => {}));
    let hasStarted = false;
    const late = queue.run('pet 1', async () => {
      hasStarted = true;
    });
    const outcome = expect(late).rejects.toThrow('Too late.');
    await vi.advanceTimersByTimeAsync(1_100);
    await outcome;
    expect(hasStarted).toBe(false);
  } finally {
    vi.useRealTimers();
  }
});

test('work that has started in time may take longer than the limit, and the next one still gets its turn', async () => {
  vi.useFakeTimers();
  try {
    const queue = new KeyedQueue({ milliseconds: 1_000, error: () => new Error('Too late.') });
    const take = (milliseconds: number) =>
      queue.run('pet 1', () => new Promise<void>((end) => setTimeout(end, milliseconds)));
    const first = [take(500), take(1_000)];
    await vi.advanceTimersByTimeAsync(900);
    const next = take(0);
    await vi.advanceTimersByTimeAsync(1_000);
    await Promise.all([...first, next]);
  } finally {
    vi.useRealTimers();
  }
});
