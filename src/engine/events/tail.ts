import { createRounds } from '../rounds.ts';
import type { FeedCursor } from './cursor.ts';
import type { FeedEvent, FeedPages } from './feed.ts';

/** How often the feed is looked at, in milliseconds: other processes publish too. */
const INTERVAL = 100;
const MOST = 500;

/**
 * Reads the end of the feed, once for all readers of the process. Reads on when `tell` resolves.
 *
 * @param onLost called when a backup was restored, so that positions are used again, or events after the place were
 *   deleted, because the process was suspended for that long
 */
export function createTail(
  feed: FeedPages,
  tell: (events: readonly FeedEvent[], place: FeedCursor) => Promise<unknown>,
  onLost: () => void,
  onFailure: (error: unknown) => void,
) {
  let told: FeedCursor = { epoch: 0, position: 0 };
  let timer: NodeJS.Timeout | undefined;
  const { wake } = createRounds(() => readOn().catch(onFailure));

  return {
    /** Tells what is published after a place, unless it tells already; false if its reader must first read on. */
    tellAfter(place: FeedCursor): boolean {
      if (timer === undefined) {
        told = place;
        timer = setInterval(wake, INTERVAL).unref();
      }
      return place.position >= told.position;
    },

    wake,

    end(): void {
      clearInterval(timer);
      timer = undefined;
    },
  };

  async function readOn(): Promise<void> {
    if (timer === undefined) return;
    const { epoch, deleted, last } = await feed.state();
    if (epoch !== told.epoch || told.position < deleted) {
      // Readers may come before the last old one has gone.
      told = { epoch, position: last };
      return onLost();
    }
    while (timer !== undefined && told.position < last) {
      const from = told;
      const page = await feed.pageAfter(from, {}, MOST);
      // It may have ended, and begun elsewhere, while the page was read.
      if (timer === undefined || told !== from) continue;
      told = page.next;
      await tell(page.events, told);
    }
  }
}
