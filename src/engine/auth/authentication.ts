import type { RequestHeaders } from '../http/headers.ts';
import type { IncomingRequest } from '../http/incoming.ts';
import type { ConcurrencyLimiter } from '../limits/concurrency.ts';
import type { CpuThrottle } from '../limits/cpu-throttle.ts';
import { callWithin } from '../tracing/span.ts';
import { type Access, ANONYMOUS, type Caller } from './access.ts';

export type Authentication = ReturnType<typeof createAuthentication>;

/**
 * @param concurrency limits the lookups of callers like other work
 * @param throttle gives the lookups of each address their turns, by characters: a long token can take as long as ten reads
 */
export function createAuthentication(
  access: Access,
  concurrency: Pick<ConcurrencyLimiter, 'run'>,
  throttle: Pick<CpuThrottle, 'wait'>,
) {
  return {
    authorize: access.authorize,
    mayRead: access.mayRead,

    /** Rejects if the caller of a request in progress no longer has the scopes. It is not charged. */
    async recheck({ headers }: IncomingRequest, scopes: readonly string[]): Promise<void> {
      const found = access.authenticate(headers);
      access.authorize(typeof found === 'function' ? await found() : found, scopes);
    },

    /** Finds the caller, and charges it one unit. Throws as `Access`, `Meter` and `ConcurrencyLimiter` (lookups) do. */
    authenticate(request: IncomingRequest, headers = request.headers): Caller | Promise<Caller> {
      try {
        const found = access.authenticate(headers);
        if (typeof found === 'function') return authenticateLater(request, headers, found);
        request.meter.identify(accountOf(found));
        return found;
      } catch (error) {
        return reject(request, error);
      }
    },
  };

  async function authenticateLater(
    request: IncomingRequest,
    headers: RequestHeaders,
    lookUp: () => Promise<Caller>,
  ): Promise<Caller> {
    const { meter } = request;
    await meter.waitFor(throttle, headers.get('authorization')?.length ?? 0);
    const started = performance.now();
    const work = () => callWithin(request, lookUp).catch((error: unknown) => reject(request, error));
    // Not in the queue of callers without a credential at the same address, who are other callers.
    const caller = await concurrency.run(work, meter.load('lookup'));
    meter.countWait(performance.now() - started);
    meter.identify(accountOf(caller));
    return caller;
  }
}

/** Callers without a credential are charged by their address. */
function accountOf(caller: Caller): string | undefined {
  return caller === ANONYMOUS ? undefined : caller.id;
}

/** A wrong credential costs a unit too, which limits how many a client can try. */
function reject({ meter }: IncomingRequest, error: unknown): never {
  if (!meter.isCharged) meter.identify();
  throw error;
}
