import type { Attempt } from './send.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** How long after each failed attempt the next one follows, in milliseconds: it is given up after the tenth. */
const RETRIES = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR];
/** The longest pause that a receiver can ask for, in milliseconds. */
const MAX_PAUSE = 24 * HOUR;

export interface DeliveryOutcome {
  readonly outcome: 'delivered' | 'retried' | 'failed' | 'disabled';
  /** When the next attempt is due; null for none. */
  readonly due: Date | null;
  readonly error: string | null;
  /** Until when the receiver wants no request at all; undefined for no pause. */
  readonly pausesUntil?: Date;
}

/**
 * 2xx is success, 410 (Gone) disables the webhook: it gets the event when it is enabled again. Everything else is tried
 * again, not before `Retry-After` (RFC 9110, section 10.2.3), which applies to all requests after 429 and 503. Times are
 * in milliseconds since the epoch, `attempts` those before.
 */
export function outcomeOf(
  { status, retryAfter, error: failure }: Attempt,
  attempts: number,
  now: number,
): DeliveryOutcome {
  if (status !== null && status >= 200 && status < 300) return { outcome: 'delivered', due: null, error: null };
  const error = failure ?? explain(status);
  if (status === 410) return { outcome: 'disabled', due: new Date(now), error };
  const wait = Math.min(MAX_PAUSE, millisecondsIn(retryAfter, now));
  const isAsked = wait > 0 && (status === 429 || status === 503);
  const pause = isAsked ? { pausesUntil: new Date(now + wait) } : {};
  const retry = RETRIES[attempts];
  if (retry === undefined) return { outcome: 'failed', due: null, error, ...pause };
  return { outcome: 'retried', due: new Date(now + Math.max(retry, wait)), error, ...pause };
}

function explain(status: number | null): string {
  if (status !== null && status >= 300 && status < 400) {
    return `The answer was ${status}, and redirects are not followed.`;
  }
  return status === 410 ? 'The answer was 410 (Gone).' : `The answer was ${status}.`;
}

/** The time of `Retry-After`, in milliseconds from now; 0 if it is missing or not valid. */
function millisecondsIn(retryAfter: string | undefined, now: number): number {
  if (retryAfter === undefined) return 0;
  // As a date, seconds with a fraction would be a day in a year such as 2035.
  if (/^\d+(\.\d+)?$/.test(retryAfter)) return Number(retryAfter) * SECOND;
  const at = Date.parse(retryAfter);
  return Number.isNaN(at) ? 0 : at - now;
}
