import { setTimeout as sleep } from 'node:timers/promises';
import type { IncomingRequest } from '../http/incoming.ts';
import type { HttpReply } from '../http/reply.ts';
import type { Sink } from '../http/stream.ts';
import { KeyedQueue } from '../queue.ts';
import { type FeedCursor, NOW } from './cursor.ts';
import { EventStream, type StreamFormat, type StreamRequest } from './event-stream.ts';
import type { EventFilter, FeedEvent, FeedPage, FeedPages } from './feed.ts';
import { createStreamSlots } from './stream-slots.ts';
import { createTail } from './tail.ts';
import { WAITING, waitingSink } from './waiting.ts';

/** How many events are read and sent at once for a stream that is behind: other callers wait meanwhile. */
const PAGE = 100;
/** How long slow streams can delay the next batch of published events for all others, in milliseconds. */
const MAX_DELAY = 100;
/** How many batches streams that are alike may be behind; beyond that they end, and their clients can resume. */
const MAX_WAITING = 20;

interface StreamsOptions {
  readonly feed: FeedPages;
  /** How many streams and long polls the process may have. */
  readonly max: number;
  readonly onCount: (count: number) => void;
  readonly onFailure: (error: unknown) => void;
}

/** Streams of server-sent events (WHATWG HTML, section 9.2). */
export type EventStreams = ReturnType<typeof createEventStreams>;

export function createEventStreams({ feed, max, onCount, onFailure }: StreamsOptions) {
  const acquireSlot = createStreamSlots(max, onCount);
  const queue = new KeyedQueue();
  const streams = new Set<EventStream>();
  const tail = createTail(feed, sendNext, endAll, onFailure);
  /** Streams that are alike are sent what was published together, one batch after another. */
  const batches = new KeyedQueue();
  let hasEnded = false;

  return {
    /**
     * @param cursor the id of the event that it goes on after; without one, it begins now
     * @throws {ServiceError} as `FeedStore.page` does; UNAVAILABLE or RATE_LIMITED when there are too many
     */
    async open(cursor: string | undefined, request: StreamRequest): Promise<HttpReply> {
      const { filter, account } = request;
      const { length } = request.format.key;
      // Holds the slot while the feed is read, so that streams beyond the maximum cost no read.
      const release = acquireSlot(account, length);
      const first = await feed.page(cursor ?? NOW, filter, 1).finally(release);
      return {
        status: 200,
        headers: [
          ...['vary', 'Accept', 'content-type', 'text/event-stream'],
          ...['cache-control', 'no-store', 'x-accel-buffering', 'no'],
        ],
        body: (sink) => {
          try {
            sink.onEnd(acquireSlot(account, length));
          } catch {
            // Others have taken the last slot since then.
            return sink.end('after');
          }
          begin(sink, request, first);
        },
      };
    },

    /**
     * Resolves when there is an event after the cursor, or after this many milliseconds, when the client has gone, or
     * when the process stops; at once if further pages follow. The wait is a stream that ends with its first event.
     * Resolves with where the feed ended, if the cursor is `now`. Throws the errors of `open`.
     *
     * @param characters the length of the document that stays in memory meanwhile
     */
    async wait(
      cursor: string | null | undefined,
      filter: EventFilter,
      milliseconds: number,
      { meter: { account }, isAborted }: Pick<IncomingRequest, 'meter' | 'isAborted'>,
      characters: number,
    ) {
      const release = acquireSlot(account, characters);
      try {
        const first = await feed.page(cursor, filter, 1);
        // There is more to read at once, even if this page has none of the events that are wanted.
        if (first.hasMore) return undefined;
        const { sink, ended } = waitingSink();
        const timeout = setTimeout(sink.end, milliseconds, 'now');
        const recheck = async () => {
          if (isAborted()) sink.end('now');
        };
        begin(sink, { format: WAITING, filter, account, recheck }, first);
        await ended;
        clearTimeout(timeout);
        return cursor === NOW ? first.next : undefined;
      } finally {
        release();
      }
    },

    wake: tail.wake,

    /** Ends all streams, because the process stops: their clients connect again after a random time. */
    end(): void {
      hasEnded = true;
      endAll();
    },
  };

  /** Sends a client the events of a page, and then all others. */
  function begin(sink: Sink, request: StreamRequest, first: FeedPage): void {
    const stream = new EventStream(sink, request);
    streams.add(stream);
    sink.onEnd(() => {
      streams.delete(stream);
      if (streams.size === 0) tail.end();
    });
    if (hasEnded) stream.end();
    else follow(stream, first);
  }

  /** Ends a stream that cannot be sent what comes next: its client resumes after the last event. */
  function cut(stream: EventStream, error: unknown): void {
    if (stream.reject(error)) return;
    onFailure(error);
    stream.end();
  }

  /** Sends a stream what it has missed, from this page or from what its client has read, and then what comes. */
  function follow(stream: EventStream, first?: FeedPage): void {
    stream.state = 'behind';
    catchUp(stream, first).catch((error) => cut(stream, error));
  }

  /**
   * Reads and sends one page of a caller at a time, so that others are not held up. A page that is too long for its
   * client is read again from where it was cut. The first pages are short: a caller whose units do not pay for a long
   * one is sent what they pay for.
   */
  async function catchUp(stream: EventStream, first?: FeedPage): Promise<void> {
    const { account, format } = stream.request;
    const max = Math.min(PAGE, format.maxEvents ?? PAGE);
    let [size, room, page, isBehind] = [1, max, first, true];
    while (stream.state !== 'ended' && (isBehind || !tail.join(stream.cursor as FeedCursor))) {
      await stream.sink.drained();
      const result = await queue.run(account, () => sendPage(stream, size, page));
      if (result === undefined) return;
      const { sent, isWhole, hasMore } = result;
      page = undefined;
      isBehind = hasMore || !isWhole;
      if (isWhole) {
        room = Math.min(max, room + 1);
        size = Math.min(room, size * 2);
      } else {
        // From here the pages grow slowly, because what is cut off was read, run and charged for nothing.
        room = Math.max(sent, 1);
        size = room;
      }
    }
    if (stream.state !== 'ended') stream.goLive();
  }

  /** Sends a page, which is read unless it is given; undefined if the stream has ended. */
  async function sendPage(stream: EventStream, size: number, page?: FeedPage) {
    if (stream.state === 'ended') return undefined;
    const { filter, format, charge } = stream.request;
    const { events, next, hasMore } = page ?? (await feed.pageAfter(stream.cursor, filter, size));
    if (events.length > 0) charge?.(events.length);
    const isWhole = stream.send(events, events.length === 0 ? [] : await format.serializeAll(events), next);
    const { position: end } = stream.cursor ?? next;
    const sent = events.filter(({ position }) => position <= end).length;
    return { sent, isWhole, hasMore };
  }

  /**
   * Sends the live streams what was published, those that are alike together. A slow group delays the others only a
   * little; one that falls behind ends, so that its clients resume after their last event. A client that has to read
   * first is sent the rest page by page. Resolves when the next batch may follow.
   */
  function sendNext(events: readonly FeedEvent[], cursor: FeedCursor): Promise<unknown> {
    const alike = new Map<string, EventStream[]>();
    for (const stream of streams) {
      if (stream.state !== 'live') continue;
      const { key } = stream.request.format;
      const group = alike.get(key);
      if (batches.lengthOf(key) > MAX_WAITING) stream.end();
      else if (group === undefined) alike.set(key, [stream]);
      else group.push(stream);
    }
    const sending = [...alike].map(([key, group]) => batches.run(key, () => sendGroup(group, events, cursor)));
    return Promise.race([Promise.all(sending), sleep(MAX_DELAY, undefined, { ref: false })]);
  }

  async function sendGroup(
    group: readonly EventStream[],
    events: readonly FeedEvent[],
    cursor: FeedCursor,
  ): Promise<void> {
    const first = group.reduce((one, other) => (queueOf(other) < queueOf(one) ? other : one));
    // Streams that are alike and charged have the same filter.
    const { charge, format } = first.request;
    const wanted = charge === undefined ? events : events.filter((event) => first.wants(event));
    const max = format.maxEvents ?? wanted.length;
    for (let start = 0; start < wanted.length; start += max) {
      const part = wanted.slice(start, start + max);
      const paying = group.filter((stream) => stream.state === 'live' && pays(stream, part.length));
      if (paying.length === 0) return;
      const { position } = part.at(-1) as FeedEvent;
      await sendAlike(paying, format, part, { ...cursor, position });
    }
    for (const stream of group) if (stream.state === 'live') stream.send([], [], cursor);
  }

  /** Sends each stream events that are made to text once for all of them. */
  async function sendAlike(
    alike: readonly EventStream[],
    format: StreamFormat,
    events: readonly FeedEvent[],
    end: FeedCursor,
  ): Promise<void> {
    try {
      const texts = await format.serializeAll(events);
      for (const stream of alike) if (!stream.send(events, texts, end)) follow(stream);
    } catch (error) {
      for (const stream of alike) cut(stream, error);
    }
  }

  /** Charges a stream for events; one whose caller has no units left ends. */
  function pays(stream: EventStream, events: number): boolean {
    try {
      stream.request.charge?.(events);
      return true;
    } catch (error) {
      cut(stream, error);
      return false;
    }
  }

  /** Ends all streams. Where the epoch was raised, their clients get 410 when they come back, which says how to go on. */
  function endAll(): void {
    for (const stream of streams) stream.end();
  }
}

/** The queue length of a stream's caller. Shared texts are made in the shortest queue: a busy caller delays no other. */
function queueOf({ request }: EventStream): number {
  return request.format.queueLength?.() ?? 0;
}
