import type { FeedEvent, FeedPages } from './feed.ts';

/** How often the feed is looked at, in milliseconds: other processes publish too. */
const INTERVAL = 100;
/** How many events are told at once. */
const MOST = 500;

/**
 * Reads the end of the feed, once for all readers of the process.
 *
 * @param tell called with what was published, and the position of the last of these events
 */
export function createTail(
  feed: FeedPages,
  tell: (events: readonly FeedEvent[], last: number) => void,
  onFailure: (error: unknown) => void,
) {
  /** The position until which events were told; undefined until the first read. */
  let last: number | undefined;
  /** Reads one after another, so that events are told in order; and the one that has not begun yet. */
  let reading = Promise.resolve();
  let next: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  return {
    /** Tells what is published from now on. The result is the position after which it does. */
    async begin(): Promise<number> {
      timer = setInterval(look, INTERVAL).unref();
      await read();
      return last ?? 0;
    },

    /** Looks at the feed, because something was published. */
    wake: look,

    /** Tells nothing more. */
    end(): void {
      clearInterval(timer);
      timer = undefined;
      last = undefined;
    },
  };

  function look(): void {
    if (timer !== undefined) read().catch(onFailure);
  }

  /** Resolves when everything was told that was published before the call. */
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
    while (timer !== undefined && last < end) {
      const page = await feed.pageAfter({ epoch, position: last }, {}, MOST);
      last = page.next.position;
      tell(page.events, last);
    }
    if (timer === undefined) last = undefined;
  }
}
