import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { throttle } from '../../src/engine/throttle.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('background work that fails each second is logged at once, and then once a minute', () => {
  const logged: string[] = [];
  const log = throttle((time: string) => logged.push(time));
  for (let second = 0; second < 150; second++) {
    log(`${second} s`);
    vi.advanceTimersByTime(1_000);
  }
  expect(logged).toEqual(['0 s', '60 s', '120 s']);
});
