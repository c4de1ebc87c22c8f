import { expect, onTestFinished, test, vi } from 'vitest';
import type { Database } from '../../../src/engine/db/client.ts';
import { createSequencer } from '../../../src/engine/events/sequencer.ts';

test.each([
  ['goes on publishing', 1, false],
  ['keeps the feed locked', 0, true],
])(
  'a process that %s for longer than five seconds is reported only if nothing is published',
  async (_, step, isReported) => {
    let [last, now] = [0, 0];
    vi.spyOn(performance, 'now').mockImplementation(() => now);
    onTestFinished(() => void vi.restoreAllMocks());
    const publish = async () => {
      now += 4_000;
      last += step;
      return [{ moved: 0, more: false, lag: 0, isBusy: true, last }];
    };
    const reported: unknown[] = [];
    const sequencer = createSequencer({ statement: () => publish } as unknown as Database, {
      retention: 60,
      onPublished: () => {},
      onFailure: (error) => reported.push(error),
    });
    sequencer.begin();
    await expect.poll(() => now).toBeGreaterThanOrEqual(12_000);
    expect(reported.length > 0).toBe(isReported);
    await sequencer.end();
  },
);

test('what was changed before a process ends is published by it, and not only when another one starts', async () => {
  const left = [3, 2];
  const publish = async () => {
    const moved = left.shift() ?? 0;
    return [{ moved, more: left.length > 0, lag: 0, isBusy: false, last: moved }];
  };
  const published: number[] = [];
  const sequencer = createSequencer({ statement: () => publish } as unknown as Database, {
    retention: 60,
    onPublished: (count) => published.push(count),
    onFailure: (error) => expect.fail(String(error)),
  });
  await sequencer.end();
  expect(published).toEqual([3, 2]);
});
