import { type FeedCursor, NOW } from './cursor.ts';
import type { EventFilter, FeedEvent, FeedPages } from './feed.ts';

/** How often the feed is looked at while somebody listens, in milliseconds: others publish too. */
const INTERVAL = 100;
/** How many events are told at once. */
const MOST = 500;

/** @param last the position of the last of the events */
type Listener = (events: readonly FeedEvent[], last: number) => void;

/** The end of the feed, read once for all readers of the process. */
export type Tail = ReturnType<typeof createTail>;

export function createTail(feed: FeedPages, onFailure: (error: unknown) => void) {
  const listeners = new Set<Listener>();
  const ends = new Set<() => void>();
  /** The position until which the listeners were told; undefined while there are none. */
  let last: number | undefined;
  /** Reads one after another, so that events are told in order; and the one that has not begun yet. */
  let reading = Promise.resolve();
  let next: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let hasEnded = false;

  return {
    /**
     * Tells the listener what is published from now on.
     *
     * @returns the position after which it is told, and what stops it
     */
    async listen(listener: Listener): Promise<{ readonly after: number; readonly stop: () => void }> {
      listeners.add(listener);
      timer ??= setInterval(look, INTERVAL).unref();
      const stop = () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        clearInterval(timer);
        timer = undefined;
        last = undefined;
      };
      try {
        await read();
        return { after: last ?? 0, stop };
      } catch (error) {
        stop();
        throw error;
      }
    },

    /** Looks at the feed, because something was published. */
    wake: look,

    /**
     * Resolves when there is an event after the cursor, after this many milliseconds, or when the process stops.
     *
     * @returns where the feed ended at the call, if the cursor is `now`
     * @throws {ServiceError} as `page` does
     */
    async waitFor(
      cursor: string | null | undefined,
      filter: EventFilter,
      milliseconds: number,
    ): Promise<FeedCursor | undefined> {
      let found = () => {};
      let from = Number.POSITIVE_INFINITY;
      let wanted = 0;
      const until = new Promise<void>((resolve) => {
        found = resolve;
      });
      const listening = await this.listen((events) => {
        wanted = events.findLast((event) => isWanted(event, filter))?.position ?? wanted;
        if (wanted > from) found();
      });
      ends.add(found);
      const timeout = setTimeout(found, milliseconds);
      try {
        let page = await feed.page(cursor, filter, 1);
        const start = cursor === NOW ? page.next : undefined;
        while (page.events.length === 0 && page.hasMore) page = await feed.pageAfter(page.next, filter, 1);
        from = page.next.position;
        // It may have been told while an older page was on its way.
        if (page.events.length === 0 && wanted <= from && !hasEnded) await until;
        return start;
      } finally {
        clearTimeout(timeout);
        ends.delete(found);
        listening.stop();
      }
    },

    /** Ends all waits. */
    end(): void {
      hasEnded = true;
      for (const end of ends) end();
    },
  };

  function look(): void {
    if (listeners.size > 0) read().catch(onFailure);
  }

  /** Resolves when the listeners were told what was published before the call. */
  function read(): Promise<void> {
    if (next === undefined) {
      next = reading.then(() => {
        next = undefined;
        return tellNext();
      });
      reading = next.catch(() => {});
    }
    return next;
  }

  async function tellNext(): Promise<void> {
    const { epoch, last: end } = await feed.state();
    last ??= end;
    while (listeners.size > 0 && last < end) {
      const page = await feed.pageAfter({ epoch, position: last }, {}, MOST);
      last = page.next.position;
      for (const listener of listeners) listener(page.events, last);
    }
    if (listeners.size === 0) last = undefined;
  }
}

/** Whether an event passes a filter. */
export function isWanted({ type, subject }: FeedEvent, filter: EventFilter): boolean {
  return (filter.types?.includes(type) ?? true) && (filter.subject == null || filter.subject === subject);
}
