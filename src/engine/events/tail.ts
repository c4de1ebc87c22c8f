import { createRounds } from '../rounds.ts';
import type { FeedCursor } from './cursor.ts';
import type { FeedEvent, FeedPages } from './feed.ts';

/** How often the feed is looked at, in milliseconds: other processes publish too. */
const INTERVAL = 100;
const MAX_READ = 500;

/**
 * Reads the end of the feed, once for all readers of the process; reads on when `send` resolves. `onLost` is called when the
 * epoch was raised, or events were deleted that were not sent, because the process was suspended for that long.
 */
export function createTail(
  feed: FeedPages,
  send: (events: readonly FeedEvent[], cursor: FeedCursor) => Promise<unknown>,
  onLost: () => void,
  onFailure: (error: unknown) => void,
) {
  let sent: FeedCursor = { epoch: 0, position: 0 };
  let timer: NodeJS.Timeout | undefined;
  const { wake } = createRounds(() => readOn().catch(onFailure));

  return {
    /** Starts sending what is published after the cursor, unless it does already. False if the cursor is behind, or of another epoch. */
    join(cursor: FeedCursor): boolean {
      if (timer === undefined) {
        sent = cursor;
        timer = setInterval(wake, INTERVAL).unref();
      }
      return cursor.epoch === sent.epoch && cursor.position >= sent.position;
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
    if (epoch !== sent.epoch || sent.position < deleted) {
      // Readers may come before the last old one has gone.
      sent = { epoch, position: last };
      return onLost();
    }
    while (timer !== undefined && sent.position < last) {
      const from = sent;
      const page = await feed.pageAfter(from, {}, MAX_READ);
      // It may have ended, and begun elsewhere, while the page was read.
      if (sent !== from) continue;
      sent = page.next;
      await send(page.events, sent);
    }
  }
}
