import { type Access, ANONYMOUS, type Caller } from '../auth/access.ts';
import type { RequestHeaders } from '../http/incoming.ts';
import { callWithin } from '../tracing/span.ts';
import type { AccountOf } from './account.ts';
import { type Chargeable, unitsOfBody } from './charge.ts';
import type { Gate } from './gate.ts';
import { Pace } from './pace.ts';
import type { RateLimiter } from './rate.ts';

/** Where each request to the data comes in, on both faces. */
export interface Entrance extends Pick<Access, 'authorize' | 'mayRead'> {
  /**
   * Who asks; charged with one unit.
   *
   * @param headers what says who asks, where that is not the request itself
   * @throws {ServiceError} as `Access.authenticate` does, RATE_LIMITED, or as `Gate.run` does while it is looked up
   */
  enter(request: Chargeable, headers?: RequestHeaders): Caller | Promise<Caller>;
  /**
   * Charges units for what a request costs beyond that.
   *
   * @throws {ServiceError} RATE_LIMITED
   */
  charge(request: Chargeable, units: number): void;
  /**
   * Charges for so many bytes of a body, before they are read; large bodies of a caller are read one at a time.
   *
   * @throws {ServiceError} RATE_LIMITED
   */
  takeBody(request: Chargeable, bytes: number): Promise<void> | undefined;
}

/** How many bytes of bodies are read at once for a caller. */
const BYTES_AT_ONCE = 65_536;

/**
 * The entrance that asks who comes, and charges him. To look that up is work like any other.
 *
 * @param limiter undefined where callers may use as much as they like
 */
export function createEntrance(
  access: Access,
  accountOf: AccountOf,
  limiter: Pick<RateLimiter, 'charge'> | undefined,
  gate: Pick<Gate, 'run'>,
): Entrance {
  const bodies = new Pace(BYTES_AT_ONCE);
  return {
    authorize: access.authorize,
    mayRead: access.mayRead,
    charge,
    takeBody(request, bytes) {
      const units = unitsOfBody(bytes);
      if (units === 0) return undefined;
      charge(request, units);
      return bodies.next(request.account ?? '', bytes);
    },
    enter(request, headers = request.headers) {
      try {
        const found = access.authenticate(headers);
        if (typeof found === 'function') return enterLater(request, found);
        return enterAs(request, found);
      } catch (error) {
        return refuse(request, error);
      }
    },
  };

  function charge(request: Chargeable, units: number): void {
    request.units = (request.units ?? 0) + units;
    limiter?.charge(request.account ?? '', units);
  }

  function enterAs(request: Chargeable, caller: Caller): Caller {
    request.account = accountOf(request, caller);
    charge(request, 1);
    return caller;
  }

  async function enterLater(request: Chargeable, findOut: () => Promise<Caller>): Promise<Caller> {
    const began = performance.now();
    const load = { account: accountOf(request, ANONYMOUS), units: 1 };
    const caller = await gate.run(
      () => callWithin(request, findOut).catch((error: unknown) => refuse(request, error)),
      load,
    );
    request.waited = performance.now() - began;
    return enterAs(request, caller);
  }

  /** A wrong credential costs units too, so that nobody tries many. */
  function refuse(request: Chargeable, error: unknown): never {
    if (request.account === undefined) enterAs(request, ANONYMOUS);
    throw error;
  }
}
