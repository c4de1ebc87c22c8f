import { type Access, ANONYMOUS, type Caller } from '../auth/access.ts';
import type { Charge, Chargeable } from './charge.ts';

/** Where each request to the data comes in, on both faces. */
export interface Entrance extends Pick<Access, 'authorize'> {
  /**
   * Who asks; charged with one unit.
   *
   * @throws {ServiceError} as `Access.authenticate` does, or RATE_LIMITED
   */
  enter(request: Chargeable): Caller | Promise<Caller>;
  /** Charges what the request costs beyond that. */
  readonly charge: Charge;
}

/** The entrance that asks who comes, and charges him. */
export function createEntrance(access: Access, charge: Charge): Entrance {
  return {
    authorize: access.authorize,
    charge,
    enter(request) {
      try {
        const caller = access.authenticate(request.headers);
        if (caller instanceof Promise) return enterLater(request, caller);
        charge(request, caller, 1);
        return caller;
      } catch (error) {
        return refuse(request, error);
      }
    },
  };

  async function enterLater(request: Chargeable, authenticating: Promise<Caller>): Promise<Caller> {
    const caller = await authenticating.catch((error: unknown) => refuse(request, error));
    charge(request, caller, 1);
    return caller;
  }

  /** Whoever tries a bad credential is charged for that, so that nobody tries many. */
  function refuse(request: Chargeable, error: unknown): never {
    if (request.account === undefined) charge(request, ANONYMOUS, 1);
    throw error;
  }
}
