import { describe, expect, onTestFinished, test } from 'vitest';
import type { StreamFormat } from '../../../src/engine/events/event-stream.ts';
import type { FeedEvent } from '../../../src/engine/events/feed.ts';
import type { StreamBody } from '../../../src/engine/http/stream.ts';
import { eventAt, feedOf, formatOf, openSink, openStream, positionsIn, streamsOf } from '../../support/streams.ts';

describe('streams', () => {
  test('are sent a long burst to its end, although each batch takes its time', async () => {
    const events = [eventAt(1)];
    const streams = streamsOf(feedOf(events));
    const serializeAll = async (list: readonly FeedEvent[]) => {
      await new Promise(setImmediate);
      return list.map(({ id }) => `id: ${id}\n\n`);
    };
    const sink = await openStream(streams, openSink(), '1', { format: { ...formatOf(), serializeAll } });
    onTestFinished(() => sink.end('now'));
    await expect.poll(() => sink.text()).not.toBe('');
    for (let position = 2; position <= 15_000; position++) events.push(eventAt(position));
    streams.wake();
    await expect.poll(() => positionsIn(sink.text())).toHaveLength(14_999);
  });

  test('miss nothing that was published before they open, while the last one closes, or is published later by another process', async () => {
    const events = [eventAt(1)];
    const feed = feedOf(events);
    const streams = streamsOf(feed);
    const one = await openStream(streams, openSink(), '1');
    const { body } = await streams.open('1', {
      ...{ format: formatOf(), filter: {}, account: 'me', recheck: async () => {} },
    });
    events.push(eventAt(2));
    await expect.poll(() => positionsIn(one.text())).toEqual([2]);
    const { pageAfter } = feed;
    let answer = () => {};
    const isAsked = new Promise<void>((resolve) => {
      Object.assign(feed, {
        pageAfter: async (...query: Parameters<typeof pageAfter>) => {
          Object.assign(feed, { pageAfter });
          const read = await pageAfter(...query);
          resolve();
          await new Promise<void>((isAnswered) => {
            answer = isAnswered;
          });
          return read;
        },
      });
    });
    events.push(eventAt(3));
    await isAsked;
    one.end('now');
    const other = openSink();
    (body as StreamBody)(other);
    await new Promise(setImmediate);
    answer();
    await expect.poll(() => positionsIn(other.text()).at(-1)).toBe(3);
    expect(positionsIn(other.text())).toEqual([2, 3]);
    events.push(eventAt(4));
    await expect.poll(() => positionsIn(other.text())).toEqual([2, 3, 4]);
    other.end('now');
  });

  test('wait for no other kind of stream, and end when they get too far behind', async () => {
    const events = [eventAt(1)];
    const streams = streamsOf(feedOf(events));
    const charged: number[] = [];
    const charge = (count: number) => void charged.push(count);
    const open = async (key: string, format: Partial<StreamFormat> = {}) => {
      const request = { format: { ...formatOf(), ...format, key }, account: key, charge };
      const sink = await openStream(streams, openSink(), '1', request);
      await expect.poll(() => sink.text()).not.toBe('');
      return sink;
    };
    const slow = await open('slow', { serializeAll: () => new Promise(() => {}) });
    const quick = await open('quick');
    for (let position = 2; position <= 25; position++) {
      events.push(eventAt(position));
      streams.wake();
      await expect.poll(() => positionsIn(quick.text()).at(-1)).toBe(position);
    }
    expect(positionsIn(quick.text())).toHaveLength(24);
    expect(slow.text()).toMatch(/^retry: 3000\n\nretry: \d+\n\n$/);
    expect(new Set(charged)).toEqual(new Set([1]));
    for (const sink of [slow, quick]) sink.end('now');
  });

  test('are sent together by the caller with the least other work, so that a busy one does not hold up others', async () => {
    const events = [eventAt(1)];
    const streams = streamsOf(feedOf(events));
    const open = async (queueLength: number, format: Partial<StreamFormat> = {}) => {
      const request = { format: { ...formatOf(), ...format, queueLength: () => queueLength } };
      const sink = await openStream(streams, openSink(), '1', request);
      // Then it is sent what is published next together with the others.
      await new Promise((resolve) => setTimeout(resolve, 50));
      return sink;
    };
    const busy = await open(3, { serializeAll: () => new Promise(() => {}) });
    const idle = await open(0);
    events.push(eventAt(2));
    streams.wake();
    for (const sink of [busy, idle]) {
      await expect.poll(() => positionsIn(sink.text())).toEqual([2]);
      sink.end('now');
    }
  });
});
