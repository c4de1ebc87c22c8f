import type { RequestHeaders } from '../http/headers.ts';
import type { Challenge } from './challenge.ts';
import { READ } from './scope.ts';

/** Who asks, and what he may do. */
export interface Caller {
  /** What tells callers apart, also in the database: the same for the same caller at all times. */
  readonly id: string;
  readonly scopes: ReadonlySet<string>;
}

/** A caller without a credential. */
export const ANONYMOUS: Caller = { id: 'anonymous', scopes: new Set() };

/** A caller who is known, or what finds out who it is. */
export type Found = Caller | (() => Promise<Caller>);

/** Whose a credential is; throws or rejects with UNAUTHENTICATED when it is nobody's, UNAVAILABLE or TIMEOUT when nobody can tell. */
export type Verifier = (token: string) => Found;

/** Lets in who belongs in. */
export interface Access {
  /**
   * Who asks, by the `Authorization` field (RFC 6750).
   *
   * @throws {ServiceError} UNAUTHENTICATED when there is a credential that is not good; UNAVAILABLE or TIMEOUT when
   *   nobody can tell
   */
  authenticate(headers: RequestHeaders): Found;
  /** @throws {ServiceError} UNAUTHENTICATED for a caller who is not known, FORBIDDEN for one who lacks a scope */
  authorize(caller: Caller, scopes: readonly string[]): void;
  /** Whether the caller may read what is stored: with the scope `read`, and where reads are open. */
  mayRead(caller: Caller): boolean;
}

const NO_TOKEN = 'The Authorization field must be Bearer, followed by an API key or a token.';
const IS_BEARER = /^Bearer(?: |$)/i;
const BEARER = /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i;

/** Everyone may do everything, and is not asked who he is. */
export const OPEN_ACCESS: Access = { authenticate: () => ANONYMOUS, authorize: () => {}, mayRead: () => true };

/**
 * Access for callers who are known.
 *
 * @param closed what is closed to the others: changes, or all
 */
export function createAccess(closed: 'changes' | 'all', challenge: Challenge, verify: Verifier): Access {
  const mayRead = ({ scopes }: Caller) => closed !== 'all' || scopes.has(READ);
  return {
    mayRead,
    authenticate(headers) {
      const authorization = headers.get('authorization');
      if (authorization === null) return ANONYMOUS;
      if (!IS_BEARER.test(authorization)) throw challenge.otherScheme(NO_TOKEN);
      const token = BEARER.exec(authorization)?.[1];
      if (token === undefined) throw challenge.badToken(NO_TOKEN);
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
