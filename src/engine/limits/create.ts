import type { Database } from '../db/client.ts';
import { createAccounts } from './account.ts';
import { createConcurrencyLimiter, tookTooLong } from './concurrency.ts';
import { CpuThrottle } from './cpu-throttle.ts';
import { BYTES_AT_ONCE, Meter } from './meter.ts';
import { createRateLimiter, type Quota, steadyTime } from './rate.ts';

export interface LimitSettings {
  /** The time limit of a request, in milliseconds. */
  readonly REQUEST_TIMEOUT: number;
  readonly MAX_REQUESTS: number;
  readonly RATE_LIMIT: Quota | 'off';
  readonly PROXIES: number;
}

/** @param clock for rate limits, in milliseconds since the epoch; by default one that never jumps */
export function createLimits(
  { REQUEST_TIMEOUT: deadline, MAX_REQUESTS, RATE_LIMIT, PROXIES }: LimitSettings,
  database: Database,
  clock: (() => number) | undefined,
  onUnstored: (error: unknown) => void,
) {
  const limiter =
    RATE_LIMIT === 'off' ? undefined : createRateLimiter(RATE_LIMIT, database, clock ?? steadyTime, onUnstored);
  const accountOf = createAccounts(PROXIES);
  const maxWait = { milliseconds: deadline, error: () => tookTooLong(deadline) };
  const bodyThrottle = new CpuThrottle(BYTES_AT_ONCE, maxWait);
  return {
    limiter,
    concurrency: createConcurrencyLimiter(MAX_REQUESTS, deadline),
    meterFor: (headers: Pick<Headers, 'get'>, remote: () => string, isAborted: () => boolean) =>
      new Meter(accountOf(headers, remote), limiter, bodyThrottle, isAborted),
    /** How long a request may wait for its turn. */
    maxWait,
  };
}
