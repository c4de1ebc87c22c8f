import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { failureLog } from '../../src/engine/failure-log.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('background work that fails each second is logged at once, and then once a minute', () => {
  const logged: unknown[] = [];
  const log = failureLog({ warn: (...line: unknown[]) => logged.push(line) }, 'Nothing could be stored.');
  for (let second = 0; second < 150; second++) {
    log(`${second} s`);
    vi.advanceTimersByTime(1_000);
  }
  const line = (err: string) => [{ err }, 'Nothing could be stored.'];
  expect(logged).toEqual([line('0 s'), line('60 s'), line('120 s')]);
});
