import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Work in rounds, one at a time: what calls for it while a round runs, or in the pause after it, is done in the next.
 *
 * @param round must not reject
 * @param pause the time between two rounds, in milliseconds
 */
export function createRounds(round: () => Promise<void>, pause = 0) {
  const ending = new AbortController();
  const { signal } = ending;
  let isAwaited = false;
  let running: Promise<void> | undefined;

  return {
    /** Has a round begin as soon as one may. */
    wake(): void {
      isAwaited = true;
      if (!signal.aborted) running ??= run();
    },

    /** Has no further round begin; resolves when none runs. */
    async end(): Promise<void> {
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
