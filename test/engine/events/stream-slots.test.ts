import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ServiceError } from '../../../src/engine/errors.ts';
import type { StreamBody } from '../../../src/engine/http/stream.ts';
import { eventAt, feedOf, formatOf, openSink, openStream, streamsOf } from '../../support/streams.ts';

describe('streams', () => {
  test('are open to each caller, however few there may be', async () => {
    const streams = streamsOf(feedOf([eventAt(1)]), undefined, 2);
    for (const account of ['one', 'other']) {
      const sink = await openStream(streams, openSink(), 'now', { account });
      expect(sink.hasEnded()).toBe(false);
      onTestFinished(() => sink.end('now'));
    }
    await expect(openStream(streams, openSink(), 'now', { account: 'third' })).rejects.toThrow(
      'There is no room for another stream; try again.',
    );
  });

  test('end at once when another has taken the last place after they were accepted', async () => {
    const streams = streamsOf(feedOf([eventAt(1)]), undefined, 1);
    const request = { format: formatOf(), filter: {}, account: 'me', recheck: async () => {} };
    const accepted = [await streams.open('now', request), await streams.open('now', request)];
    const sinks = accepted.map(({ body }) => {
      const sink = openSink();
      (body as StreamBody)(sink);
      return sink;
    });
    expect(sinks.map((sink) => sink.hasEnded())).toEqual([false, true]);
    sinks[0]?.end('now');
  });

  test('that are opened at once beyond the maximum do not read the feed', async () => {
    const feed = feedOf([eventAt(1)]);
    const page = vi.spyOn(feed, 'page');
    const streams = streamsOf(feed, undefined, 20);
    const opened = await Promise.allSettled(Array.from({ length: 50 }, () => openStream(streams, openSink(), '1')));
    expect(opened.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    expect(page).toHaveBeenCalledTimes(2);
  });

  test('leave their place to others when their feed cannot be read', async () => {
    const feed = feedOf([eventAt(1)]);
    const streams = streamsOf(feed, undefined, 1);
    vi.spyOn(feed, 'page').mockRejectedValueOnce(new ServiceError('GONE', 'The events are deleted.'));
    await expect(openStream(streams, openSink(), '0')).rejects.toThrow('The events are deleted.');
    const sink = await openStream(streams, openSink(), '1');
    expect(sink.hasEnded()).toBe(false);
    sink.end('now');
  });

  test('count as several with a long document, which stays in memory; a caller can always have one', async () => {
    const streams = streamsOf(feedOf([eventAt(1)]), undefined, 100);
    const open = (characters: number, account: string) =>
      openStream(streams, openSink(), 'now', { account, format: { ...formatOf(), key: 'x'.repeat(characters) } });
    const sinks = [await open(8_001, 'one'), await open(1_000, 'one'), await open(50_000, 'other')];
    await expect(open(1, 'one')).rejects.toThrow('Your streams count as 10 of 10 already; close one first.');
    sinks[1]?.end('now');
    await expect(open(1_001, 'one')).rejects.toThrow(
      'Your streams count as 9 of 10 already, and this one as 2 because its document and variables are long; close one first.',
    );
    sinks[0]?.end('now');
    sinks.push(await open(10_000, 'one'));
    for (const sink of sinks) sink.end('now');
  });
});
