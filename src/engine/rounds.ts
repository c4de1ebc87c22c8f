import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Repeats work, one round at a time. Calls of `wake` during a round, or in the pause after it, share the next round.
 *
 * @param round must not reject
 * @param pause the time between two rounds, in milliseconds
 */
export function createRounds(round: () => Promise<void>, pause = 0) {
  const ending = new AbortController();
  const { signal } = ending;
  let isAwaited = false;
  let running: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  const wake = () => {
    isAwaited = true;
    if (!signal.aborted) running ??= run();
  };

  return {
    /** Starts a round as soon as none is running and the pause is over. */
    wake,

    /** Starts a round at each interval, in milliseconds, too. */
    repeat(interval: number): void {
      timer = setInterval(wake, interval).unref();
    },

    /** Starts no more rounds; resolves when the last one has ended. */
    async end(): Promise<void> {
      clearInterval(timer);
      ending.abort();
      await running;
    },
  };

  async function run(): Promise<void> {
    while (isAwaited && !signal.aborted) {
      isAwaited = false;
      await round();
      if (pause > 0) await sleep(pause, undefined, { ref: false, signal }).catch(() => {});
    }
    running = undefined;
  }
}
