import type { Logger } from 'pino';

const PAUSE = 60_000;

/**
 * Makes the function that logs the failures of background work, at most one a minute: the work is tried again each second
 * while the database is away.
 *
 * @param message says what failed, and what happens next
 */
export function failureLog(logger: Pick<Logger, 'warn'>, message: string): (error: unknown) => void {
  let next = Number.NEGATIVE_INFINITY;
  return (error) => {
    const now = performance.now();
    if (now < next) return;
    next = now + PAUSE;
    logger.warn({ err: error }, message);
  };
}
