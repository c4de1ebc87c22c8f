const PAUSE = 60_000;

/**
 * Limits the log of background work, which is tried again each second while the database is away.
 *
 * @returns a function that passes its call on, unless it has done so in the last minute
 */
export function throttle<Args extends unknown[]>(log: (...args: Args) => void): (...args: Args) => void {
  let next = Number.NEGATIVE_INFINITY;
  return (...args) => {
    const now = performance.now();
    if (now < next) return;
    next = now + PAUSE;
    log(...args);
  };
}
