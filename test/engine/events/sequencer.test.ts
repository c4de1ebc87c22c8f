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
      onDeletionFailure: (error) => expect.fail(String(error)),
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
    onDeletionFailure: (error) => expect.fail(String(error)),
  });
  await sequencer.end();
  expect(published).toEqual([3, 2]);
});

test('a process that stops while it deletes old events waits for the deletion in progress, and begins no other', async () => {
  vi.useFakeTimers({ toFake: ['setInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  let [deletions, finish] = [0, () => {}];
  const deletion = async () => {
    deletions++;
    await new Promise<void>((resolve) => {
      finish = resolve;
    });
    return [{ count: 5_000, head: 5_000 }];
  };
  const publish = async () => [{ moved: 0, more: false, lag: 0, isBusy: false, last: 0 }];
  const statement = (name: string) => (name === 'events.deleteOld' ? deletion : publish);
  const fail = (error: unknown) => expect.fail(String(error));
  const sequencer = createSequencer({ statement } as unknown as Database, {
    retention: 60,
    onPublished: () => {},
    onFailure: fail,
    onDeletionFailure: fail,
  });
  sequencer.begin();
  // The next deletion is due, too.
  vi.advanceTimersByTime(120_000);
  const ended = vi.fn();
  const end = sequencer.end().then(ended);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(ended).not.toHaveBeenCalled();
  finish();
  await end;
  expect(deletions).toBe(1);
});
