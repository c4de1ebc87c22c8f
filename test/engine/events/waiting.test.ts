import { expect, onTestFinished, test, vi } from 'vitest';
import { CpuThrottle } from '../../../src/engine/limits/cpu-throttle.ts';
import { Meter } from '../../../src/engine/limits/meter.ts';
import { eventAt, feedOf, streamsOf } from '../../support/streams.ts';

test('a page that waits does so for its whole time while its client is there', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const request = { meter: new Meter('me', undefined, new CpuThrottle(1)), isAborted: () => false };
  const ends: unknown[] = [];
  void streamsOf(feedOf([eventAt(1)]))
    .wait('now', {}, 20_000, request, 0)
    .then((end) => ends.push(end));
  await vi.advanceTimersByTimeAsync(19_900);
  expect(ends).toEqual([]);
  await vi.advanceTimersByTimeAsync(100);
  expect(ends).toEqual([{ epoch: 1, position: 1 }]);
  expect(vi.getTimerCount()).toBe(0);
});

test('a page that waits ends for an event that is published while its first page is on its way', async () => {
  const events = Array.from({ length: 10 }, (_, n) => eventAt(n + 1));
  const feed = feedOf(events);
  let answer = () => {};
  const isAsked = new Promise<void>((resolve) => {
    const { page } = feed;
    feed.page = async (...query) => {
      const read = await page(...query);
      resolve();
      await new Promise<void>((isAnswered) => {
        answer = isAnswered;
      });
      return read;
    };
  });
  const waiting = streamsOf(feed).wait(
    'now',
    {},
    60_000,
    {
      meter: new Meter('me', undefined, new CpuThrottle(1)),
      isAborted: () => false,
    },
    0,
  );
  await isAsked;
  events.push(eventAt(11));
  answer();
  expect(await waiting).toEqual({ epoch: 1, position: 10 });
}, 5_000);
