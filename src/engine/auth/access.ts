import { ServiceError } from '../errors.ts';
import type { RequestHeaders } from '../http/headers.ts';
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

/** What is asked for (RFC 6750, section 3): with an error only where a token came. */
const CHALLENGE = 'Bearer realm="pet-store"';
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
export function createAccess(closed: 'changes' | 'all', verify: Verifier): Access {
  const mayRead = ({ scopes }: Caller) => closed !== 'all' || scopes.has(READ);
  return {
    mayRead,
    authenticate(headers) {
      const authorization = headers.get('authorization');
      if (authorization === null) return ANONYMOUS;
      if (!IS_BEARER.test(authorization)) throw otherScheme();
      const token = BEARER.exec(authorization)?.[1];
      if (token === undefined) throw badToken(NO_TOKEN);
      return verify(token);
    },
    authorize(caller, scopes) {
      for (const scope of scopes) {
        if (scope === READ ? mayRead(caller) : caller.scopes.has(scope)) continue;
        throw caller === ANONYMOUS ? unknownCaller(scope) : forbidden(scope);
      }
    },
  };
}

/** A credential that is not good. */
export function badToken(message: string, cause?: unknown): ServiceError {
  return new ServiceError('UNAUTHENTICATED', message, {
    cause,
    headers: { 'www-authenticate': `${CHALLENGE}, error="invalid_token", error_description="${message}"` },
  });
}

function otherScheme(): ServiceError {
  return new ServiceError('UNAUTHENTICATED', NO_TOKEN, { headers: { 'www-authenticate': CHALLENGE } });
}

function unknownCaller(scope: string): ServiceError {
  const message = `This needs an API key or a token with the scope ${scope}. Send it as Authorization: Bearer ...`;
  return new ServiceError('UNAUTHENTICATED', message, {
    headers: { 'www-authenticate': `${CHALLENGE}, scope="${scope}"` },
  });
}

/** The failure of a caller who is known and lacks the scope. */
export function forbidden(scope: string): ServiceError {
  const headers = { 'www-authenticate': `${CHALLENGE}, error="insufficient_scope", scope="${scope}"` };
  return new ServiceError('FORBIDDEN', `This needs the scope ${scope}, which your credential does not have.`, {
    headers,
  });
}
