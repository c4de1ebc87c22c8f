import { hash } from 'node:crypto';
import { errors, type JWTPayload, jwtVerify } from 'jose';
import { LRUCache } from 'lru-cache';
import { RETRY_SOON, ServiceError } from '../errors.ts';
import type { Caller, Verifier } from './access.ts';
import type { Challenge } from './challenge.ts';
import { issuerKeys, KeysUnknown } from './issuer-keys.ts';

/** Whose tokens are taken. */
interface JwtOptions {
  /** Where their public keys are (RFC 7517). */
  readonly jwks: string;
  readonly issuer: string;
  readonly audience: string;
  /** Those that a signature may be of (RFC 8725, section 3.1). */
  readonly algorithms: readonly string[];
  /** How far the clocks may be apart, in seconds. */
  readonly clockSkew: number;
}

/** How many tokens are known that were verified, and how long, in milliseconds. */
const MAX_KNOWN = 5_000;
const FRESH = 60_000;
const MAX_SUBJECT_LENGTH = 255;

/** @returns verifies JSON Web Tokens (RFC 7519) that are for the audience; what they may do is in `scope` (RFC 8693, section 4.2) */
export function jwtVerifier(options: JwtOptions, challenge: Challenge, clock: () => Date): Verifier {
  const { badToken } = challenge;
  const { issuer, audience, algorithms, clockSkew } = options;
  const keyOf = issuerKeys(options.jwks, clockSkew, { steady: () => performance.now(), wall: clock });
  const rules = {
    issuer,
    audience,
    algorithms: [...algorithms],
    clockTolerance: clockSkew,
    requiredClaims: ['sub', 'exp'],
  };
  /** By the tokens' digests. */
  const known = new LRUCache<string, Known>({ max: MAX_KNOWN, ttl: FRESH });

  return (token) => {
    const digest = hash('sha256', token, 'base64');
    const found = known.get(digest);
    const now = clock();
    return found !== undefined && found.until > now.getTime() ? found.caller : () => verify(token, digest, now);
  };

  async function verify(token: string, digest: string, now: Date): Promise<Caller> {
    try {
      const { payload } = await jwtVerify(token, keyOf, { ...rules, currentDate: now });
      const caller = callerOf(payload);
      known.set(digest, { caller, until: ((payload.exp as number) + clockSkew) * 1000 });
      return caller;
    } catch (error) {
      if (error instanceof KeysUnknown) throw cannotTell(error);
      throw error instanceof ServiceError ? error : rejection(error);
    }
  }

  function callerOf({ iss, sub, scope }: JWTPayload): Caller {
    // Without it, all callers of the issuer would share one identity.
    if (typeof sub !== 'string' || sub === '') throw badToken("The token's sub is invalid.");
    if (sub.length > MAX_SUBJECT_LENGTH)
      throw badToken(`The token's sub is longer than ${MAX_SUBJECT_LENGTH} characters.`);
    const scopes = typeof scope === 'string' ? scope.split(' ') : [];
    return { id: `jwt:${JSON.stringify([iss, sub])}`, scopes: new Set(scopes) };
  }

  /** What a client is told; the log has the cause. */
  function rejection(error: unknown): ServiceError {
    if (error instanceof errors.JWTExpired) return badToken('The token has expired.', error);
    if (error instanceof errors.JWTClaimValidationFailed)
      return badToken(`The token's ${error.claim} is invalid.`, error);
    return badToken('The token is invalid.', error);
  }
}

/** Who a token is of, and until when, in milliseconds. */
interface Known {
  readonly caller: Caller;
  readonly until: number;
}

function cannotTell(cause: unknown): ServiceError {
  const message = 'The token cannot be verified at the moment; try again.';
  return new ServiceError('UNAVAILABLE', message, { cause, headers: RETRY_SOON });
}
