import type { RequestHeaders } from '../http/headers.ts';
import type { Challenge } from './challenge.ts';
import { READ } from './scope.ts';

export interface Caller {
  /** Identifies the caller, also in the database; it never changes. */
  readonly id: string;
  readonly scopes: ReadonlySet<string>;
}

export const ANONYMOUS: Caller = { id: 'anonymous', scopes: new Set() };

type CallerOrLookup = Caller | (() => Promise<Caller>);

/** Finds the caller of a credential. Throws or rejects as `Access.authenticate` says. */
export type Verifier = (token: string) => CallerOrLookup;

export interface Access {
  /**
   * Finds the caller by the `Authorization` field (RFC 6750).
   *
   * @throws {ServiceError} UNAUTHENTICATED for an invalid credential, UNAVAILABLE or TIMEOUT if it can't be verified
   */
  authenticate(headers: RequestHeaders): CallerOrLookup;
  /** @throws {ServiceError} UNAUTHENTICATED for a caller without a credential, FORBIDDEN for one without a scope */
  authorize(caller: Caller, scopes: readonly string[]): void;
  /** Whether the caller may read stored data: it has the scope `read`, or reads are open. */
  mayRead(caller: Caller): boolean;
}

const IS_BEARER = /^Bearer(?: |$)/i;
const BEARER = /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i;

/** Access without credentials: every caller may do everything. */
export const OPEN_ACCESS: Access = { authenticate: () => ANONYMOUS, authorize: () => {}, mayRead: () => true };

/** @param closed what needs a credential: changes, or all operations */
export function createAccess(closed: 'changes' | 'all', challenge: Challenge, verify: Verifier): Access {
  const mayRead = ({ scopes }: Caller) => closed !== 'all' || scopes.has(READ);
  return {
    mayRead,
    authenticate(headers) {
      const authorization = headers.get('authorization');
      if (authorization === null) return ANONYMOUS;
      if (!IS_BEARER.test(authorization)) throw challenge.otherScheme();
      const token = BEARER.exec(authorization)?.[1];
      if (token === undefined) throw challenge.noToken();
      return verify(token);
    },
    authorize(caller, scopes) {
      for (const scope of scopes) {
        if (scope === READ ? mayRead(caller) : caller.scopes.has(scope)) continue;
        throw caller === ANONYMOUS ? challenge.unknownCaller(scope) : challenge.forbidden(scope);
      }
    },
  };
}
