import { createRounds } from '../rounds.ts';
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
  /** The position until which events were told. */
  let last = 0;
  let timer: NodeJS.Timeout | undefined;
  const { wake } = createRounds(() => readOn().catch(onFailure));

  return {
    /**
     * Tells what is published after a position, unless it tells already.
     *
     * @returns whether a reader at the position is told all that comes after it; if not, it must first read on
     */
    tellAfter(position: number): boolean {
      if (timer === undefined) {
        last = position;
        timer = setInterval(wake, INTERVAL).unref();
      }
      return position >= last;
    },

    /** Looks at the feed, because something was published. */
    wake,

    /** Tells nothing more. */
    end(): void {
      clearInterval(timer);
      timer = undefined;
    },
  };

  async function readOn(): Promise<void> {
    if (timer === undefined) return;
    const { epoch, last: end } = await feed.state();
    while (timer !== undefined && last < end) {
      const from = last;
      const page = await feed.pageAfter({ epoch, position: from }, {}, MOST);
      // It may have ended, and begun elsewhere, while the page was read.
      if (timer === undefined || last !== from) continue;
      last = page.next.position;
      tell(page.events, last);
    }
  }
}
