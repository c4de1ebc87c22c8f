import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { Turns } from '../../../src/engine/db/turns.ts';

test('what changes one row runs one after another, and beside what changes others', async () => {
  const turns = new Turns();
  const log: string[] = [];
  const work = (name: string) => async () => {
    log.push(`${name} begins`);
    await sleep(5);
    log.push(`${name} ends`);
    return name;
  };
  const all = [turns.take('pet 1', work('a')), turns.take('pet 1', work('b')), turns.take('pet 2', work('c'))];
  expect(await Promise.all(all)).toEqual(['a', 'b', 'c']);
  expect(log.slice(0, 2)).toEqual(['a begins', 'c begins']);
  expect(log.indexOf('b begins')).toBeGreaterThan(log.indexOf('a ends'));
});

test('a change that fails lets the next have its turn', async () => {
  const turns = new Turns();
  const failing = turns.take('pet 1', () => Promise.reject(new Error('No.')));
  const next = turns.take('pet 1', async () => 'done');
  await expect(failing).rejects.toThrow('No.');
  expect(await next).toBe('done');
});

test('what waits for a row longer than a second is told to try again, and never begins', async () => {
  vi.useFakeTimers();
  try {
    const turns = new Turns();
    void turns.take('pet 1', () => new Promise(() => {}));
    let hasBegun = false;
    const late = turns.take('pet 1', async () => {
      hasBegun = true;
    });
    const outcome = expect(late).rejects.toMatchObject({ code: 'UNAVAILABLE', headers: { 'retry-after': '1' } });
    await vi.advanceTimersByTimeAsync(1_100);
    await outcome;
    expect(hasBegun).toBe(false);
  } finally {
    vi.useRealTimers();
  }
});
