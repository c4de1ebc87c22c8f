import { type FeedCursor, NOW } from './cursor.ts';
import type { EventFilter, FeedEvent, FeedPages } from './feed.ts';

/** How often the feed is looked at while somebody listens, in milliseconds: others publish too. */
const INTERVAL = 100;
/** How many events are told at once. */
const MOST = 500;

/** Events that were published one after another. */
interface TailBatch {
  readonly events: readonly FeedEvent[];
  /** The position of the last one. */
  readonly last: number;
}

type Listener = (batch: TailBatch) => void;

/** The end of the feed, read once for all readers of the process. */
export type Tail = ReturnType<typeof createTail>;

export function createTail(feed: FeedPages, onFailure: (error: unknown) => void) {
  const listeners = new Set<Listener>();
  const ends = new Set<() => void>();
  /** The position until which the listeners were told; undefined while there are none. */
  let last: number | undefined;
  /** Statements one after another, so that batches are told in order. */
  let queue = Promise.resolve();
  let isQueued = false;
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
      const stopListening = () => {
        listeners.delete(listener);
        if (listeners.size === 0) stop();
      };
      try {
        let after = 0;
        await enqueue(async () => {
          last ??= (await feed.state()).last;
          after = last;
        });
        timer ??= setInterval(look, INTERVAL).unref();
        return { after, stop: stopListening };
      } catch (error) {
        stopListening();
        throw error;
      }
    },

    /** Looks at the feed, because something was published. */
    wake(): void {
      if (listeners.size > 0) look();
    },

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
      const until = new Promise<void>((resolve) => {
        found = resolve;
      });
      const listening = await this.listen(({ events }) => {
        if (events.some((event) => event.position > from && isWanted(event, filter))) found();
      });
      ends.add(found);
      const timeout = setTimeout(found, milliseconds);
      try {
        let page = await feed.page(cursor, filter, 1);
        const start = cursor === NOW ? page.next : undefined;
        while (page.events.length === 0 && page.hasMore) page = await feed.pageAfter(page.next, filter, 1);
        from = page.next.position;
        if (page.events.length === 0 && !hasEnded) await until;
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

  function stop(): void {
    clearInterval(timer);
    timer = undefined;
    last = undefined;
  }

  function enqueue(work: () => Promise<void>): Promise<void> {
    const done = queue.then(work);
    queue = done.catch(() => {});
    return done;
  }

  function look(): void {
    if (isQueued) return;
    isQueued = true;
    enqueue(() => {
      isQueued = false;
      return read();
    }).catch(onFailure);
  }

  async function read(): Promise<void> {
    const { epoch, last: end } = await feed.state();
    while (last !== undefined && last < end) {
      const page = await feed.pageAfter({ epoch, position: last }, {}, MOST);
      if (last === undefined) return;
      last = page.next.position;
      for (const listener of listeners) listener({ events: page.events, last });
    }
  }
}

/** Whether an event passes a filter. */
export function isWanted({ type, subject }: FeedEvent, filter: EventFilter): boolean {
  return (filter.types?.includes(type) ?? true) && (filter.subject == null || filter.subject === subject);
}
