import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ServiceError } from '../../../src/engine/errors.ts';
import type { FeedEvent } from '../../../src/engine/events/feed.ts';
import { eventAt, feedOf, formatOf, openSink, openStream, positionsIn, streamsOf } from '../../support/streams.ts';

const eventsUntil = (last: number) => Array.from({ length: last }, (_, n) => eventAt(n + 1));

/** What a client may leave unread, in bytes. */
const MAX_UNREAD = 262_144;

describe('streams that are behind', () => {
  test('of one caller, are sent a page one after another; those of others meanwhile', async () => {
    const streams = streamsOf(feedOf(eventsUntil(1_000)));
    const received: string[] = [];
    const together = new Set<string>();
    const sinks = ['me', 'me', 'me', 'other'].map((account) => {
      const serializeAll = async (list: readonly FeedEvent[]) => {
        received.push(account);
        together.add([...received].sort().join(' '));
        await new Promise(setImmediate);
        received.splice(received.indexOf(account), 1);
        return list.map(({ id }) => `id: ${id}\n\n`);
      };
      const sink = openSink();
      void openStream(streams, sink, '0', { format: { ...formatOf(), key: account, serializeAll }, account });
      return sink;
    });
    for (const sink of sinks) {
      await expect.poll(() => positionsIn(sink.text())).toHaveLength(1_000);
      sink.end('now');
    }
    expect([...together].filter((one) => one.includes(' '))).toEqual(['me other']);
  });

  test('are sent the events that their caller can pay for, however many follow', async () => {
    const streams = streamsOf(feedOf(eventsUntil(300)));
    let [place, paid] = [0, 0];
    for (let comes = 1; place < 300; comes++) {
      expect(comes).toBeLessThan(10);
      let units = 60;
      const charge = (count: number) => {
        if (count > units) throw new ServiceError('RATE_LIMITED', 'You have no units left.');
        units -= count;
        paid += count;
      };
      const format = { ...formatOf(), rejection: () => 'rejected' };
      const sink = await openStream(streams, openSink(), `${place}`, { format, charge });
      await expect.poll(() => sink.text()).toMatch(/rejected|id: 1\.300\n/);
      place = positionsIn(sink.text()).at(-1) ?? place;
      sink.end('now');
    }
    expect(paid).toBe(300);
  });

  test.each([
    ['once they end, although their clients have not read the end yet', 'service'],
    ['once their clients have gone', 'client'],
  ])('are read no further %s', async (_, by) => {
    const events = eventsUntil(1_000);
    const streams = streamsOf(feedOf(events));
    const sink = openSink();
    const received: number[] = [];
    const textOf = ({ position }: FeedEvent) => {
      if (position === 150) by === 'client' ? sink.end('now') : streams.end();
      received.push(position);
      return 'an event\n\n';
    };
    const live = await openStream(streams, openSink(), '1000', { format: { ...formatOf(), key: 'live' } });
    onTestFinished(() => live.end('now'));
    await openStream(streams, { ...sink, end() {} }, '0', { format: formatOf(textOf) });
    await expect.poll(() => received).toContain(150);
    events.push(eventAt(1_001));
    streams.wake();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(received.length).toBeLessThan(300);
    expect(received).not.toContain(1_001);
    sink.end('now');
  });

  test('are not charged for when their clients go while they wait for their turn', async () => {
    const streams = streamsOf(feedOf(eventsUntil(10)));
    let go = () => {};
    const isReleased = new Promise<void>((resolve) => {
      go = resolve;
    });
    const serializeAll = (list: readonly FeedEvent[]) => isReleased.then(() => list.map(({ id }) => `id: ${id}\n\n`));
    const first = await openStream(streams, openSink(), '0', { format: { ...formatOf(), serializeAll } });
    const charge = vi.fn();
    const next = await openStream(streams, openSink(), '0', { charge });
    await new Promise(setImmediate);
    next.end('now');
    go();
    await expect.poll(() => positionsIn(first.text())).toHaveLength(10);
    expect(charge).not.toHaveBeenCalled();
    first.end('now');
  });

  test('hold no more than 256 KiB and an event for a client that does not read, and charge little for what is cut off', async () => {
    const long = 'x'.repeat(10_000);
    const events = eventsUntil(300);
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
    const format = formatOf(({ id }) => `id: ${id}\n${long}\n\n`);
    await openStream(streamsOf(feedOf(events)), sink, '0', { format, charge });
    const isSent = () => positionsIn(sink.text()).length === 300;
    while (!isSent()) {
      const before = waits;
      read();
      await expect.poll(() => waits > before || isSent()).toBe(true);
    }
    expect(positionsIn(sink.text())).toEqual(events.map(({ position }) => position));
    expect(most).toBeLessThan(MAX_UNREAD + 2 * long.length);
    expect(charged).toBeLessThan(330);
    sink.end('now');
  });

  test('were live until more was published at once than a client may leave unread', async () => {
    const events = eventsUntil(1);
    const streams = streamsOf(feedOf(events));
    const sink = openSink();
    const format = formatOf(({ id }) => `id: ${id}\n${'x'.repeat(10_000)}\n\n`);
    await openStream(streams, sink, '1', { format });
    sink.stop();
    for (let position = 2; position <= 200; position++) events.push(eventAt(position));
    streams.wake();
    await expect.poll(() => sink.unread()).toBeGreaterThan(MAX_UNREAD);
    expect(sink.unread()).toBeLessThan(MAX_UNREAD + 11_000);
    events.push(eventAt(201));
    streams.wake();
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(sink.unread()).toBeLessThan(MAX_UNREAD + 11_000);
    sink.read();
    await expect.poll(() => positionsIn(sink.text())).toHaveLength(200);
    expect(positionsIn(sink.text())).toEqual(events.slice(1).map(({ position }) => position));
    sink.end('now');
  });

  test('because a client has to read first miss nothing, and nothing more is made for them meanwhile', async () => {
    const events = eventsUntil(1);
    const streams = streamsOf(feedOf(events));
    const sink = openSink();
    const made: number[] = [];
    const textOf = ({ id, position }: FeedEvent) => {
      made.push(position);
      if (position > 2) sink.read();
      return `id: ${id}\n\n`;
    };
    await openStream(streams, sink, '1', { format: { ...formatOf(textOf), maxEvents: 1 } });
    sink.stop(MAX_UNREAD);
    for (const position of [2, 3, 4]) events.push(eventAt(position));
    streams.wake();
    await expect.poll(() => made).toContain(2);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(made).toEqual([2]);
    sink.read();
    await expect.poll(() => positionsIn(sink.text()).at(-1)).toBe(4);
    expect(positionsIn(sink.text())).toEqual([2, 3, 4]);
    sink.end('now');
  });

  test('end when their clients read nothing for 15 seconds', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const events = eventsUntil(1);
    const streams = streamsOf(feedOf(events));
    const format = formatOf(() => `data: ${'x'.repeat(10_000)}\n\n`);
    const open = async () => {
      const sink = await openStream(streams, openSink(), '1', { format });
      await vi.advanceTimersByTimeAsync(0);
      sink.stop();
      return sink;
    };
    const [silent, slow] = [await open(), await open()];
    for (let position = 2; position <= 200; position++) events.push(eventAt(position));
    await vi.advanceTimersByTimeAsync(16_000);
    slow.read();
    slow.stop();
    await vi.advanceTimersByTimeAsync(10_000);
    expect([silent.hasEnded(), slow.hasEnded()]).toEqual([false, false]);
    await vi.advanceTimersByTimeAsync(10_000);
    expect([silent.hasEnded(), slow.hasEnded()]).toEqual([true, false]);
    for (let times = 0; times < 8; times++) {
      // It reads all, and by the next heartbeat it has as much to read again.
      slow.read();
      slow.stop();
      await vi.advanceTimersByTimeAsync(15_000);
    }
    expect(slow.hasEnded()).toBe(false);
    slow.end('now');
  });
});
