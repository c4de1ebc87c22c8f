import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ServiceError } from '../../../src/engine/errors.ts';
import type { StreamFormat } from '../../../src/engine/events/event-stream.ts';
import type { FeedEvent } from '../../../src/engine/events/feed.ts';
import type { Sink, StreamBody } from '../../../src/engine/http/stream.ts';
import { eventAt, feedOf, formatOf, openSink, openStream, positionsIn, streamsOf } from '../../support/streams.ts';

/** What a client may leave unread, in bytes. */
const MAX_UNREAD = 262_144;

/** Lets everything happen that waits. */
async function settle(scheduler: fc.Scheduler): Promise<void> {
  for (let quiet = 0; quiet < 20; quiet++) {
    await Promise.resolve();
    if (scheduler.count() === 0) continue;
    quiet = 0;
    await scheduler.waitOne();
  }
}

describe('streams', () => {
  test('send each event once and in order, whenever events are published, streams come and go, and clients read', async () => {
    const step = fc.oneof(
      fc.record({ what: fc.constant('publish' as const), count: fc.integer({ min: 1, max: 4 }) }),
      fc.record({ what: fc.constant('open' as const), format: fc.constantFrom('a', 'b') }),
      fc.record({ what: fc.constantFrom('close' as const, 'stop' as const, 'read' as const), which: fc.nat() }),
      fc.record({ what: fc.constant('run' as const), count: fc.integer({ min: 1, max: 6 }) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), fc.scheduler(), async (steps, scheduler) => {
        const events: FeedEvent[] = [];
        // A page is read some time after it is asked for, and is known some time after it is read.
        const schedule = async <T>(work: () => T): Promise<T> => {
          await scheduler.schedule(Promise.resolve());
          const result = work();
          await scheduler.schedule(Promise.resolve());
          return result;
        };
        const streams = streamsOf(feedOf(events, schedule));
        const clients: { sink: ReturnType<typeof openSink>; after: number; isClosed: boolean }[] = [];
        for (const one of steps) {
          if (one.what === 'publish') {
            for (let n = 0; n < one.count; n++) events.push(eventAt(events.length + 1));
            streams.wake();
          } else if (one.what === 'open') {
            const sink = openSink();
            const after = events.length;
            const format = {
              ...formatOf(),
              key: one.format,
              maxEvents: 2,
              serializeAll: (list: readonly FeedEvent[]) => schedule(() => list.map(({ id }) => `id: ${id}\n\n`)),
            };
            void openStream(streams, sink, `${after}`, { format });
            clients.push({ sink, after, isClosed: false });
          } else if (one.what === 'run') {
            for (let n = 0; n < one.count && scheduler.count() > 0; n++) await scheduler.waitOne();
          } else if (clients.length > 0) {
            const client = clients[one.which % clients.length] as (typeof clients)[number];
            client.isClosed ||= one.what === 'close';
            if (one.what === 'close') client.sink.end('now');
            else if (one.what === 'read') client.sink.read();
            else if (positionsIn(client.sink.text()).length > 0) client.sink.stop(MAX_UNREAD);
          }
        }
        await settle(scheduler);
        for (const { sink } of clients) sink.read();
        await settle(scheduler);
        streams.wake();
        await settle(scheduler);
        for (const { sink, after, isClosed } of clients) {
          const received = positionsIn(sink.text());
          expect(received).toEqual(received.map((_, n) => after + 1 + n));
          if (!isClosed) expect(received.at(-1) ?? after).toBe(events.length);
        }
        streams.end();
        for (const { sink } of clients) sink.end('now');
      }),
      { numRuns: 1_000 },
    );
  });

  test('send a comment each 15 seconds, so that proxies keep them open, until they end', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const sink = await openStream(streamsOf(feedOf([eventAt(1)])), openSink(), 'now');
    await vi.advanceTimersByTimeAsync(14_900);
    expect(sink.text()).toBe('retry: 3000\n\n');
    await vi.advanceTimersByTimeAsync(30_000);
    expect(sink.text()).toBe('retry: 3000\n\n:\n\n:\n\n');
    sink.end('now');
    await vi.advanceTimersByTimeAsync(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  test.each([
    ['say', {}],
    ['that charge their callers for what they want say', { charge: () => expect.fail('They want none.') }],
  ])(
    '%s where they are, so that a client resumes there although it wanted none of the last events',
    async (_, more) => {
      vi.useFakeTimers();
      onTestFinished(() => void vi.useRealTimers());
      const events = [eventAt(1)];
      const request = { format: { ...formatOf(), hasIds: true }, filter: { types: ['book.burnt'] }, ...more };
      const sink = await openStream(streamsOf(feedOf(events)), openSink(), 'now', request);
      await vi.advanceTimersByTimeAsync(1_000);
      expect(sink.text()).toBe('retry: 3000\n\nid: 1.1\n\n');
      events.push(eventAt(2), eventAt(3));
      await vi.advanceTimersByTimeAsync(15_000);
      expect(sink.text()).toBe('retry: 3000\n\nid: 1.1\n\n:\nid: 1.3\n\n');
      sink.end('now');
    },
  );

  test('end when an event cannot be sent, so that their clients get it when they come back', async () => {
    const events = [eventAt(1)];
    const failures: unknown[] = [];
    const streams = streamsOf(feedOf(events), (error) => failures.push(error));
    let isBroken = true;
    const serializeAll = async (list: readonly FeedEvent[]) => {
      if (isBroken && list.some(({ position }) => position === 2)) throw new Error('The database is away.');
      return list.map(({ id }) => `id: ${id}\n\n`);
    };
    const open = (key: string) => {
      const format = { ...formatOf(() => 'good\n\n'), ...(key === 'bad' && { serializeAll }), key };
      return openStream(streams, openSink(), '1', { format, account: key });
    };
    const [one, good] = [await open('bad'), await open('good')];
    await expect.poll(() => one.text()).toBe('retry: 3000\n\n');
    events.push(eventAt(2));
    streams.wake();
    await expect.poll(() => good.text()).toBe('retry: 3000\n\ngood\n\n');
    isBroken = false;
    events.push(eventAt(3));
    streams.wake();
    await expect.poll(() => good.text()).toBe('retry: 3000\n\ngood\n\ngood\n\n');
    expect(one.text()).toMatch(/^retry: 3000\n\nretry: \d+\n\n$/);
    expect(failures).toHaveLength(1);
    const again = await open('bad');
    await expect.poll(() => positionsIn(again.text())).toEqual([2, 3]);
    for (const sink of [again, good]) sink.end('now');
  });

  test('end when a backup was restored, so that their clients learn of it when they come back', async () => {
    const feed = feedOf([eventAt(1)]);
    const sink = await openStream(streamsOf(feed), openSink(), '1');
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(sink.text()).toBe('retry: 3000\n\n');
    feed.state = async () => ({ epoch: 2, deleted: 0, last: 1 });
    await expect.poll(() => sink.text()).toMatch(/^retry: 3000\n\nretry: \d+\n\n$/);
  });

  test('end when events that they were not sent are deleted, because the process was suspended for that long', async () => {
    const feed = feedOf([eventAt(1)]);
    const sink = await openStream(streamsOf(feed), openSink(), '1');
    const gone = async () => {
      throw new ServiceError('GONE', 'The events after 1.1 are deleted.');
    };
    Object.assign(feed, { state: async () => ({ epoch: 1, deleted: 5, last: 6 }), pageAfter: gone });
    await expect.poll(() => sink.text()).toMatch(/^retry: 3000\n\nretry: \d+\n\n$/);
  });

  test('read the feed no further when the last of them has ended', async () => {
    const events = [eventAt(1)];
    const feed = feedOf(events);
    const streams = streamsOf(feed);
    const sink = openSink();
    const textOf = () => {
      sink.end('now');
      return 'an event\n\n';
    };
    await openStream(streams, sink, '1', { format: formatOf(textOf) });
    const read = vi.spyOn(feed, 'pageAfter');
    for (let position = 2; position <= 2_000; position++) events.push(eventAt(position));
    streams.wake();
    await expect.poll(() => sink.hasEnded()).toBe(true);
    for (let turns = 0; turns < 20; turns++) await new Promise(setImmediate);
    expect(read).toHaveBeenCalledTimes(1);
  });

  test('go on after a backup was restored, although a client has not read that its stream has ended', async () => {
    const soon = async <T>(work: () => T): Promise<T> => {
      await new Promise(setImmediate);
      return work();
    };
    const feed = feedOf([eventAt(1), eventAt(2)], soon);
    const streams = streamsOf(feed);
    const open = (sink: Sink) => openStream(streams, sink, 'now', { format: formatOf(() => 'an event\n\n') });
    const unread = openSink();
    await open({ ...unread, end() {} });
    const restored = [eventAt(1)];
    Object.assign(feed, feedOf(restored, soon, 2));
    await expect.poll(() => unread.text()).toMatch(/retry: \d+\n\nretry: \d+\n\n$/);
    const sink = openSink();
    onTestFinished(() => sink.end('now'));
    await open(sink);
    await new Promise((resolve) => setTimeout(resolve, 150));
    restored.push(eventAt(2));
    streams.wake();
    await expect.poll(() => sink.text()).toBe('retry: 3000\n\nan event\n\n');
  });

  test('that open while a backup is restored end too, although their position may be in the restored feed', async () => {
    const feed = feedOf([eventAt(1), eventAt(2)]);
    const streams = streamsOf(feed);
    const unread = openSink();
    await openStream(streams, { ...unread, end() {} }, 'now');
    const { body } = await streams.open('1.2', {
      ...{ format: formatOf(), filter: {}, account: 'me', recheck: async () => {} },
    });
    const gone = async () => {
      throw new ServiceError('GONE', 'after=1.2 cannot be continued.');
    };
    Object.assign(feed, { ...feedOf([eventAt(1), eventAt(2)], undefined, 2), pageAfter: gone });
    await expect.poll(() => unread.text()).toMatch(/retry: \d+\n\nretry: \d+\n\n$/);
    const sink = openSink();
    (body as StreamBody)(sink);
    await expect.poll(() => sink.hasEnded()).toBe(true);
  });

  test('that a client opens while the process stops say when to come back: EventSource gives up after another status than 200', async () => {
    const streams = streamsOf(feedOf([eventAt(1)]));
    streams.end();
    const sink = await openStream(streams, openSink(), '0');
    expect([sink.hasEnded(), sink.text()]).toEqual([true, expect.stringMatching(/^retry: 3000\n\nretry: \d+\n\n$/)]);
  });

  test('end when their callers have no units left, and say so, while others that are alike go on', async () => {
    const events = [eventAt(1)];
    const streams = streamsOf(feedOf(events));
    const format: StreamFormat = { ...formatOf(), hasIds: true, rejection: ({ message }) => message };
    const charge = () => {
      throw new ServiceError('RATE_LIMITED', 'No units are left.');
    };
    const open = (more: object) => openStream(streams, openSink(), '1', { format, ...more });
    const [poor, rich] = [await open({ charge }), await open({ charge() {} })];
    for (const sink of [poor, rich]) await expect.poll(() => sink.text()).toBe('retry: 3000\n\nid: 1.1\n\n');
    events.push(eventAt(2));
    await expect
      .poll(() => [poor.hasEnded(), poor.text()])
      .toEqual([true, expect.stringMatching(/No units are left\.$/)]);
    await expect.poll(() => positionsIn(rich.text())).toEqual([1, 2]);
    rich.end('now');
  });

  test('go on while it cannot be found out whether their callers may still read', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const recheck = vi.fn(async () => {
      throw new ServiceError('UNAVAILABLE', 'The database is away.');
    });
    const sink = await openStream(streamsOf(feedOf([eventAt(1)])), openSink(), '1', { recheck });
    await vi.advanceTimersByTimeAsync(5_000);
    expect(recheck).toHaveBeenCalledTimes(2);
    expect([sink.hasEnded(), sink.text()]).toEqual([false, 'retry: 3000\n\n']);
    sink.end('now');
  });
});
