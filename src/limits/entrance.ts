import { type Access, ANONYMOUS, type Caller } from '../auth/access.ts';
import type { Charge, Chargeable } from './charge.ts';
import type { Gate } from './gate.ts';

/** Where each request to the data comes in, on both faces. */
export interface Entrance extends Pick<Access, 'authorize'> {
  /**
   * Who asks; charged with one unit.
   *
   * @throws {ServiceError} as `Access.authenticate` does, RATE_LIMITED, or as `Gate.run` does while it is looked up
   */
  enter(request: Chargeable): Caller | Promise<Caller>;
  /** Charges what the request costs beyond that. */
  readonly charge: Charge;
}

/** The entrance that asks who comes, and charges him. To look that up is work like any other. */
export function createEntrance(access: Access, charge: Charge, gate: Pick<Gate, 'run'>): Entrance {
  return {
    authorize: access.authorize,
    charge,
    enter(request) {
      try {
        const found = access.authenticate(request.headers);
        if (typeof found === 'function') return enterLater(request, found);
        charge(request, found, 1);
        return found;
      } catch (error) {
        return refuse(request, error);
      }
    },
  };

  async function enterLater(request: Chargeable, findOut: () => Promise<Caller>): Promise<Caller> {
    const began = performance.now();
    const caller = await gate.run(() => findOut().catch((error: unknown) => refuse(request, error)));
    request.waited = performance.now() - began;
    charge(request, caller, 1);
    return caller;
  }

  /** Whoever tries a bad credential is charged for that, so that nobody tries many. */
  function refuse(request: Chargeable, error: unknown): never {
    if (request.account === undefined) charge(request, ANONYMOUS, 1);
    throw error;
  }
}
