import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ServiceError } from '../../../src/engine/errors.ts';
import type { StreamFormat } from '../../../src/engine/events/event-stream.ts';
import type { FeedEvent, FeedPages } from '../../../src/engine/events/feed.ts';
import { createEventStreams } from '../../../src/engine/events/streams.ts';
import type { Sink, StreamBody } from '../../../src/engine/http/stream.ts';

/** A feed in memory, whose answers come when the scheduler lets them. */
function feedOf(events: FeedEvent[], schedule: <T>(work: () => T) => Promise<T>, epoch = 1): FeedPages {
  const state = () => schedule(() => ({ epoch, deleted: 0, last: events.length }));
  const pageAfter: FeedPages['pageAfter'] = (from, _, limit) =>
    schedule(() => {
      const start = from?.position ?? 0;
      const found = events.slice(start, start + limit);
      const position = found.length === limit ? start + limit : events.length;
      return { events: found, next: { epoch, position }, hasMore: position < events.length };
    });
  const page: FeedPages['page'] = async (cursor, filter, limit) => {
    if (cursor !== 'now') return pageAfter({ epoch, position: Number(cursor) }, filter, limit);
    const { last } = await state();
    return { events: [], next: { epoch, position: last }, hasMore: false };
  };
  return { page, pageAfter, state };
}

function eventAt(position: number): FeedEvent {
  const data = { __typename: 'Book' };
  const about = { type: 'book.created', subject: 'books/1', time: new Date(0), correlation: null };
  return { id: `1.${position}`, position, ...about, data };
}

/** A client that reads everything at once. */
function openSink(): Sink & { readonly text: () => string } {
  let text = '';
  const callbacks: (() => void)[] = [];
  let hasEnded = false;
  return {
    text: () => text,
    write(more) {
      if (!hasEnded) text += more;
    },
    unread: () => 0,
    drained: async () => {},
    end() {
      if (hasEnded) return;
      hasEnded = true;
      for (const callback of callbacks) callback();
    },
    onEnd: (callback) => void callbacks.push(callback),
  };
}

/** Lets everything happen that waits. */
async function settle(scheduler: fc.Scheduler): Promise<void> {
  for (let quiet = 0; quiet < 20; quiet++) {
    await Promise.resolve();
    if (scheduler.count() === 0) continue;
    quiet = 0;
    await scheduler.waitOne();
  }
}

const positionsIn = (text: string) => [...text.matchAll(/^id: 1\.(\d+)$/gm)].map(([, position]) => Number(position));

describe('streams', () => {
  test('tell each event once and in order, whenever events are published and streams come and go', async () => {
    const step = fc.oneof(
      fc.record({ what: fc.constant('publish' as const), count: fc.integer({ min: 1, max: 4 }) }),
      fc.record({ what: fc.constant('open' as const), format: fc.constantFrom('a', 'b') }),
      fc.record({ what: fc.constant('close' as const), which: fc.nat() }),
      fc.record({ what: fc.constant('run' as const), count: fc.integer({ min: 1, max: 6 }) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), fc.scheduler(), async (steps, scheduler) => {
        const events: FeedEvent[] = [];
        const schedule = async <T>(work: () => T): Promise<T> => {
          await scheduler.schedule(Promise.resolve());
          return work();
        };
        const feed = feedOf(events, schedule);
        const failed = (error: unknown) => {
          throw error;
        };
        const streams = createEventStreams({ feed, max: 1_000, onCount() {}, onFailure: failed });
        const clients: {
          sink: ReturnType<typeof openSink>;
          after: number;
          opened: Promise<void>;
          isClosed: boolean;
        }[] = [];
        for (const one of steps) {
          if (one.what === 'publish') {
            for (let n = 0; n < one.count; n++) events.push(eventAt(events.length + 1));
            streams.wake();
          } else if (one.what === 'open') {
            const sink = openSink();
            const after = events.length;
            const opened = streams
              .open({
                cursor: `${after}`,
                filter: {},
                account: 'test',
                recheck: async () => {},
                format: {
                  key: one.format,
                  textsOf: (list) => schedule(() => list.map(({ id }) => `id: ${id}\n\n`)),
                  rejection: () => '',
                },
              })
              .then(({ body }) => (body as StreamBody).start(sink));
            clients.push({ sink, after, opened, isClosed: false });
          } else if (one.what === 'close' && clients.length > 0) {
            const client = clients[one.which % clients.length] as (typeof clients)[number];
            client.isClosed = true;
            client.sink.end('now');
          } else if (one.what === 'run') {
            for (let n = 0; n < one.count && scheduler.count() > 0; n++) await scheduler.waitOne();
          }
        }
        await settle(scheduler);
        streams.wake();
        await settle(scheduler);
        for (const { sink, after, isClosed } of clients) {
          const told = positionsIn(sink.text());
          expect(told).toEqual(told.map((_, n) => after + 1 + n));
          if (!isClosed) expect(told.at(-1) ?? after).toBe(events.length);
        }
        streams.end();
        for (const { sink } of clients) sink.end('now');
      }),
      { numRuns: 300 },
    );
  });

  test('send a comment each 15 seconds, so that proxies keep them open, until they end', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const failed = (error: unknown) => {
      throw error;
    };
    const feed = feedOf([eventAt(1)], async (work) => work());
    const streams = createEventStreams({
      feed,
      max: 1,
      onCount() {},
      onFailure: failed,
    });
    const sink = openSink();
    const format = { key: 'a', textsOf: async () => [], rejection: () => '' };
    const { body } = await streams.open({ cursor: 'now', filter: {}, account: 'me', recheck: async () => {}, format });
    (body as StreamBody).start(sink);
    await vi.advanceTimersByTimeAsync(14_900);
    expect(sink.text()).toBe('retry: 3000\n\n');
    await vi.advanceTimersByTimeAsync(30_000);
    expect(sink.text()).toBe('retry: 3000\n\n:\n\n:\n\n');
    sink.end('now');
    await vi.advanceTimersByTimeAsync(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('say where they are, so that a client resumes there although it wanted none of the last events', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const events = [eventAt(1)];
    const feed = feedOf(events, async (work) => work());
    const streams = createEventStreams({ feed, max: 10, onCount() {}, onFailure() {} });
    const sink = openSink();
    const format = { key: 'a', hasIds: true, textsOf: async () => ['an event'], rejection: () => '' };
    const filter = { types: ['book.burnt'] };
    const { body } = await streams.open({ cursor: 'now', filter, account: 'me', recheck: async () => {}, format });
    (body as StreamBody).start(sink);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(sink.text()).toBe('retry: 3000\n\nid: 1.1\n\n');
    events.push(eventAt(2), eventAt(3));
    await vi.advanceTimersByTimeAsync(15_000);
    expect(sink.text()).toBe('retry: 3000\n\nid: 1.1\n\n:\nid: 1.3\n\n');
    sink.end('now');
  });

  test('end when an event cannot be told, so that their clients get it when they come back', async () => {
    const events = [eventAt(1)];
    const feed = feedOf(events, async (work) => work());
    const failures: unknown[] = [];
    const streams = createEventStreams({ feed, max: 30, onCount() {}, onFailure: (error) => failures.push(error) });
    let isBroken = true;
    const textsOf = async (list: readonly FeedEvent[]) => {
      if (isBroken && list.some(({ position }) => position === 2)) throw new Error('The database is away.');
      return list.map(({ id }) => `id: ${id}\n\n`);
    };
    const open = async (key: string, cursor: string) => {
      const sink = openSink();
      const format = { key, textsOf: key === 'good' ? async () => ['good\n\n'] : textsOf, rejection: () => '' };
      const { body } = await streams.open({ cursor, filter: {}, account: key, recheck: async () => {}, format });
      (body as StreamBody).start(sink);
      return sink;
    };
    const [one, good] = [await open('bad', '1'), await open('good', '1')];
    await vi.waitFor(() => expect(one.text()).toBe('retry: 3000\n\n'));
    events.push(eventAt(2));
    streams.wake();
    await vi.waitFor(() => expect(good.text()).toBe('retry: 3000\n\ngood\n\n'));
    isBroken = false;
    events.push(eventAt(3));
    streams.wake();
    await vi.waitFor(() => expect(good.text()).toBe('retry: 3000\n\ngood\n\ngood\n\n'));
    expect(one.text()).toMatch(/^retry: 3000\n\nretry: \d+\n\n$/);
    expect(failures).toHaveLength(1);
    const again = await open('bad', '1');
    await vi.waitFor(() => expect(positionsIn(again.text())).toEqual([2, 3]));
    for (const sink of [again, good]) sink.end('now');
  });

  test('end when a backup was restored, so that their clients learn of it when they come back', async () => {
    const feed = feedOf([eventAt(1)], async (work) => work());
    const streams = createEventStreams({ feed, max: 30, onCount() {}, onFailure() {} });
    const sink = openSink();
    const format = { key: 'a', textsOf: async () => [], rejection: () => '' };
    const request = { cursor: '1', filter: {}, account: 'me', recheck: async () => {}, format };
    ((await streams.open(request)).body as StreamBody).start(sink);
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(sink.text()).toBe('retry: 3000\n\n');
    feed.state = async () => ({ epoch: 2, deleted: 0, last: 1 });
    await vi.waitFor(() => expect(sink.text()).toMatch(/^retry: 3000\n\nretry: \d+\n\n$/));
  });

  test('go on after a backup was restored, although a client has not read that its stream has ended', async () => {
    const soon = async <T>(work: () => T): Promise<T> => {
      await new Promise(setImmediate);
      return work();
    };
    const events = [eventAt(1), eventAt(2)];
    const feed = feedOf(events, soon);
    const streams = createEventStreams({ feed, max: 30, onCount() {}, onFailure() {} });
    const format = { key: 'a', textsOf: async () => ['an event\n\n'], rejection: () => '' };
    const open = async (sink: Sink) => {
      const request = { cursor: 'now', filter: {}, account: 'me', recheck: async () => {}, format };
      ((await streams.open(request)).body as StreamBody).start(sink);
    };
    let text = '';
    const write = (more: string) => {
      text += more;
    };
    await open({ ...openSink(), write, end() {} });
    const restored = [eventAt(1)];
    Object.assign(feed, feedOf(restored, soon, 2));
    await vi.waitFor(() => expect(text).toMatch(/retry: \d+\n\nretry: \d+\n\n$/));
    const sink = openSink();
    onTestFinished(() => sink.end('now'));
    await open(sink);
    await new Promise((resolve) => setTimeout(resolve, 150));
    restored.push(eventAt(2));
    streams.wake();
    await vi.waitFor(() => expect(sink.text()).toBe('retry: 3000\n\nan event\n\n'));
  });

  test('wait for no other kind of stream, and end when they get too far behind', async () => {
    const events = [eventAt(1)];
    const failed = (error: unknown) => {
      throw error;
    };
    const streams = createEventStreams({
      feed: feedOf(events, async (work) => work()),
      max: 30,
      onCount() {},
      onFailure: failed,
    });
    const charged: number[] = [];
    const charge = (count: number) => void charged.push(count);
    const open = async (key: string, textsOf: StreamFormat['textsOf']) => {
      const sink = openSink();
      const request = { cursor: '1', filter: {}, account: key, charge, recheck: async () => {} };
      const { body } = await streams.open({ ...request, format: { key, textsOf, rejection: () => '' } });
      (body as StreamBody).start(sink);
      await vi.waitFor(() => expect(sink.text()).not.toBe(''));
      return sink;
    };
    const slow = await open('slow', () => new Promise(() => {}));
    const quick = await open('quick', async (list) => list.map(({ id }) => `id: ${id}\n\n`));
    for (let position = 2; position <= 25; position++) {
      events.push(eventAt(position));
      streams.wake();
      await vi.waitFor(() => expect(positionsIn(quick.text()).at(-1)).toBe(position));
    }
    expect(positionsIn(quick.text())).toHaveLength(24);
    expect(slow.text()).toMatch(/^retry: 3000\n\nretry: \d+\n\n$/);
    expect(new Set(charged)).toEqual(new Set([1]));
    for (const sink of [slow, quick]) sink.end('now');
  });

  test('are told together by the caller with the least other work, so that a busy one does not hold up others', async () => {
    const events = [eventAt(1)];
    const streams = createEventStreams({
      feed: feedOf(events, async (work) => work()),
      max: 30,
      onCount() {},
      onFailure() {},
    });
    const open = async (queue: number, textsOf: StreamFormat['textsOf']) => {
      const sink = openSink();
      const format = { key: 'a', queue: () => queue, textsOf, rejection: () => '' };
      const { body } = await streams.open({ cursor: '1', filter: {}, account: 'me', recheck: async () => {}, format });
      (body as StreamBody).start(sink);
      // Then it is told what is published next together with the others.
      await new Promise((resolve) => setTimeout(resolve, 50));
      return sink;
    };
    const busy = await open(3, () => new Promise(() => {}));
    const idle = await open(0, async (list) => list.map(({ id }) => `id: ${id}\n\n`));
    events.push(eventAt(2));
    streams.wake();
    for (const sink of [busy, idle]) {
      await vi.waitFor(() => expect(positionsIn(sink.text())).toEqual([2]));
      sink.end('now');
    }
  });

  describe('that are behind', () => {
    const failed = (error: unknown) => {
      throw error;
    };
    const format = (textOf: (event: FeedEvent) => string): StreamFormat => ({
      key: 'a',
      textsOf: async (list) => list.map(textOf),
      rejection: () => '',
    });

    test('of one caller, are told a page one after another; those of others meanwhile', async () => {
      const events = Array.from({ length: 1_000 }, (_, n) => eventAt(n + 1));
      const feed = feedOf(events, async (work) => work());
      const streams = createEventStreams({ feed, max: 100, onCount() {}, onFailure: failed });
      const told: string[] = [];
      const together = new Set<string>();
      const sinks = ['me', 'me', 'me', 'other'].map((account) => {
        const sink = openSink();
        const textsOf = async (list: readonly FeedEvent[]) => {
          told.push(account);
          together.add([...told].sort().join(' '));
          await new Promise(setImmediate);
          told.splice(told.indexOf(account), 1);
          return list.map(({ id }) => `id: ${id}\n\n`);
        };
        const request = { cursor: '0', filter: {}, account, recheck: async () => {} };
        const opened = streams.open({ ...request, format: { key: account, textsOf, rejection: () => '' } });
        void opened.then(({ body }) => (body as StreamBody).start(sink));
        return sink;
      });
      for (const sink of sinks) {
        await vi.waitFor(() => expect(positionsIn(sink.text())).toHaveLength(1_000));
        sink.end('now');
      }
      expect([...together].filter((one) => one.includes(' '))).toEqual(['me other']);
    });

    test('are told the events that their caller can pay for, however many follow', async () => {
      const events = Array.from({ length: 300 }, (_, n) => eventAt(n + 1));
      const feed = feedOf(events, async (work) => work());
      const streams = createEventStreams({ feed, max: 10, onCount() {}, onFailure: failed });
      let place = 0;
      for (let comes = 1; place < 300; comes++) {
        expect(comes).toBeLessThan(10);
        let units = 60;
        const charge = (count: number) => {
          if (count > units) throw new ServiceError('RATE_LIMITED', 'You have no units left.');
          units -= count;
        };
        const sink = openSink();
        const told = format(({ id }) => `id: ${id}\n\n`);
        const request = { cursor: `${place}`, filter: {}, account: 'me', charge, recheck: async () => {} };
        const { body } = await streams.open({ ...request, format: { ...told, rejection: () => 'rejected' } });
        (body as StreamBody).start(sink);
        await vi.waitFor(() => expect(sink.text()).toMatch(/rejected|id: 1\.300\n/));
        place = positionsIn(sink.text()).at(-1) ?? place;
        sink.end('now');
      }
    });

    test('are read no further once they end, although their clients have not read the end yet', async () => {
      const events = Array.from({ length: 1_000 }, (_, n) => eventAt(n + 1));
      const feed = feedOf(events, async (work) => work());
      const streams = createEventStreams({ feed, max: 10, onCount() {}, onFailure: failed });
      const sink = openSink();
      const close = sink.end;
      sink.end = () => {};
      const told: number[] = [];
      const textOf = ({ position }: FeedEvent) => {
        if (position === 150) streams.end();
        told.push(position);
        return 'an event\n\n';
      };
      const request = { cursor: '0', filter: {}, account: 'me', recheck: async () => {} };
      const { body } = await streams.open({ ...request, format: format(textOf) });
      (body as StreamBody).start(sink);
      await vi.waitFor(() => expect(told).toContain(150));
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect(told.length).toBeLessThan(300);
      close('now');
    });

    test('hold no more than 256 KiB and an event for a client that does not read, and charge little for what is cut off', async () => {
      const long = 'x'.repeat(10_000);
      const events = Array.from({ length: 300 }, (_, n) => eventAt(n + 1));
      const streams = createEventStreams({
        feed: feedOf(events, async (work) => work()),
        max: 10,
        onCount() {},
        onFailure: failed,
      });
      const sink = openSink();
      let read = () => {};
      let [waits, taken, most, charged] = [0, 0, 0, 0];
      sink.drained = () => {
        waits++;
        most = Math.max(most, sink.text().length - taken);
        taken = sink.text().length;
        return new Promise((resolve) => {
          read = resolve;
        });
      };
      const charge = (count: number) => {
        charged += count;
      };
      const request = { cursor: '0', filter: {}, account: 'me', charge, recheck: async () => {} };
      const { body } = await streams.open({ ...request, format: format(({ id }) => `id: ${id}\n${long}\n\n`) });
      (body as StreamBody).start(sink);
      while (positionsIn(sink.text()).length < 300) {
        const before = waits;
        read();
        await vi.waitFor(() => expect(waits).toBeGreaterThan(before));
      }
      expect(positionsIn(sink.text())).toEqual(events.map(({ position }) => position));
      expect(most).toBeLessThan(262_144 + 2 * long.length);
      expect(charged).toBeLessThan(400);
      sink.end('now');
    });
  });

  test('a page that waits ends for an event that is published while its first page is on its way', async () => {
    const events = Array.from({ length: 10 }, (_, n) => eventAt(n + 1));
    const feed = feedOf(events, async (work) => work());
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
    const streams = createEventStreams({
      feed,
      max: 30,
      onCount() {},
      onFailure(error) {
        throw error;
      },
    });
    const waiting = streams.wait('now', {}, 60_000, { account: 'me', isCutOff: () => false });
    await isAsked;
    events.push(eventAt(11));
    answer();
    expect(await waiting).toEqual({ epoch: 1, position: 10 });
  }, 5_000);
});
