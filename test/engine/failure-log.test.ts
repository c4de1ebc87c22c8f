import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { failureLog } from '../../src/engine/failure-log.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('background work that fails each second is logged at once, and then once a minute for each cause', () => {
  const logged: string[] = [];
  const log = failureLog(
    { warn: ({ err }: { err: Error }) => logged.push(`${seconds} ${err.cause ?? err.message}`) },
    'Not stored.',
  );
  let seconds = 0;
  for (; seconds < 150; seconds++) {
    log(new Error('away'));
    if (seconds >= 30) log(new Error('away', { cause: new Error('full') }));
    vi.advanceTimersByTime(1_000);
  }
  expect(logged).toEqual(['0 away', '30 Error: full', '60 away', '90 Error: full', '120 away']);
});
