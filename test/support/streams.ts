import type { StreamFormat, StreamRequest } from '../../src/engine/events/event-stream.ts';
import type { FeedEvent, FeedPages } from '../../src/engine/events/feed.ts';
import { createEventStreams } from '../../src/engine/events/streams.ts';
import type { Sink, StreamBody } from '../../src/engine/http/stream.ts';

/** A feed in memory, whose answers come when the scheduler lets them. */
export function feedOf(events: FeedEvent[], schedule: <T>(work: () => T) => Promise<T> = atOnce, epoch = 1): FeedPages {
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

/** Answers at once. */
async function atOnce<T>(work: () => T): Promise<T> {
  return work();
}

export function eventAt(position: number): FeedEvent {
  const data = { __typename: 'Book' };
  const about = { type: 'book.created', subject: 'books/1', time: new Date(0), correlation: null };
  return { id: `1.${position}`, position, ...about, data };
}

/** A client that reads everything at once, until it stops. */
export function openSink() {
  let [text, read, isReading, hasEnded] = ['', 0, true, false];
  const onEnd: (() => void)[] = [];
  const waiting: (() => void)[] = [];
  const callAll = (callbacks: (() => void)[]) => {
    for (const callback of callbacks.splice(0)) callback();
  };
  const unread = () => (isReading ? 0 : Buffer.byteLength(text) - read);
  return {
    text: () => text,
    hasEnded: () => hasEnded,
    /** @param bytes how many bytes it has not read already */
    stop(bytes = 0) {
      read = Buffer.byteLength(text) - bytes;
      isReading = false;
    },
    read() {
      isReading = true;
      callAll(waiting);
    },
    write(more: string) {
      if (!hasEnded) text += more;
    },
    unread,
    drained: () => (unread() < HIGH_WATER ? Promise.resolve() : new Promise<void>((resolve) => waiting.push(resolve))),
    end(_how: 'after' | 'now') {
      hasEnded = true;
      callAll(onEnd);
      callAll(waiting);
    },
    onEnd: (callback: () => void) => void onEnd.push(callback),
  } satisfies Sink & Record<string, unknown>;
}

/** The unread bytes from which on a client has to read first, as in Node. */
const HIGH_WATER = 16_384;

/** The positions of the events that a client was sent. */
export const positionsIn = (text: string) =>
  [...text.matchAll(/^id: 1\.(\d+)$/gm)].map(([, position]) => Number(position));

/** Streams of a feed; anything that fails fails the test. */
export function streamsOf(feed: FeedPages, onFailure: (error: unknown) => void = failed, max = 1_000) {
  return createEventStreams({ feed, max, onCount() {}, onFailure });
}

function failed(error: unknown): void {
  throw error;
}

/** A format whose events are their ids, or these texts. */
export function formatOf(textOf = ({ id }: FeedEvent) => `id: ${id}\n\n`): StreamFormat {
  return { key: 'a', serializeAll: async (list) => list.map(textOf), rejection: () => '' };
}

/** Opens a stream after a cursor for a client. */
export async function openStream<S extends Sink>(
  streams: ReturnType<typeof createEventStreams>,
  sink: S,
  cursor: string,
  request: Partial<StreamRequest> = {},
): Promise<S> {
  const given = { format: formatOf(), filter: {}, account: 'me', recheck: async () => {}, ...request };
  const { body } = await streams.open(cursor, given);
  (body as StreamBody)(sink);
  return sink;
}
