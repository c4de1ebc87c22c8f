import { hash } from 'node:crypto';
import { errors, type JWTPayload, type JWTVerifyOptions, jwtVerify, UnsecuredJWT } from 'jose';
import { LRUCache } from 'lru-cache';
import { ServiceError } from '../errors.ts';
import type { Caller, Verifier } from './access.ts';
import type { Challenge } from './challenge.ts';
import { issuerKeys, KeysUnknown } from './issuer-keys.ts';
import { PREFIX } from './keys.ts';

interface JwtOptions {
  /** The URL of the issuer's public keys (RFC 7517). */
  readonly jwks: string;
  readonly issuer: string;
  readonly audience: string;
  /** The algorithms that a signature may use (RFC 8725, section 3.1). */
  readonly algorithms: string[];
  /** The maximum difference between the clocks, in seconds. */
  readonly clockSkew: number;
}

const MAX_KNOWN = 5_000;
/** How long a verified token is cached, in milliseconds. */
const FRESH = 60_000;
const MAX_SUBJECT_LENGTH = 255;
const MALFORMED = `This is neither an API key, which begins with ${PREFIX}, nor a valid JSON Web Token.`;
/** The errors of a token, but for its claims, with their messages. */
const PROBLEMS = [
  [errors.JWTExpired, 'The token has expired.'],
  [errors.JWTInvalid, MALFORMED],
  [errors.JWSInvalid, MALFORMED],
  [errors.JOSENotSupported, 'The header of the token needs something that is not supported.'],
  [errors.JWKSMultipleMatchingKeys, 'The token must name its key by kid, because the issuer has several.'],
  [errors.JWKSNoMatchingKey, 'The issuer of the token does not have its key.'],
  [errors.JWSSignatureVerificationFailed, 'The signature of the token is invalid.'],
] as const;
/** The header {"alg":"none"}. */
const UNSIGNED = 'eyJhbGciOiJub25lIn0';

/** Verifies JSON Web Tokens (RFC 7519) for the audience. Their scopes are in `scope` (RFC 8693, section 4.2). */
export function jwtVerifier(options: JwtOptions, challenge: Challenge, clock: () => Date): Verifier {
  const { badToken } = challenge;
  const { jwks, clockSkew, ...expected } = options;
  const keyOf = issuerKeys(jwks, clockSkew, { steady: () => performance.now(), wall: clock });
  const rules = { ...expected, clockTolerance: clockSkew, requiredClaims: ['sub', 'exp'] };
  /** The callers by digest of the token, and until when it is valid, in milliseconds since the epoch. */
  const known = new LRUCache<string, { caller: Caller; until: number }>({ max: MAX_KNOWN, ttl: FRESH });

  return (token) => {
    const digest = hash('sha256', token, 'base64');
    const found = known.get(digest);
    const now = clock();
    return found !== undefined && found.until > now.getTime() ? found.caller : () => verify(token, digest, now);
  };

  async function verify(token: string, digest: string, now: Date): Promise<Caller> {
    const { payload } = await checkClaimsThenKey(token, { ...rules, currentDate: now }).catch(reject);
    const caller = callerOf(payload);
    known.set(digest, { caller, until: ((payload.exp as number) + clockSkew) * 1000 });
    return caller;
  }

  /** Invalid claims must not cause a request for keys. jose checks claims without a key only in an unsigned token. */
  async function checkClaimsThenKey(token: string, expected: JWTVerifyOptions) {
    callerOf(UnsecuredJWT.decode(`${UNSIGNED}.${token.split('.', 2)[1] ?? ''}.`, expected).payload);
    return jwtVerify(token, keyOf, expected);
  }

  function callerOf({ iss, sub, scope }: JWTPayload): Caller {
    // Without `sub`, all callers of the issuer would share one identity.
    if (typeof sub !== 'string' || sub === '') throw badToken('The token has an invalid sub.');
    if (sub.length > MAX_SUBJECT_LENGTH)
      throw badToken(`The token's sub is longer than ${MAX_SUBJECT_LENGTH} characters.`);
    const scopes = typeof scope === 'string' ? scope.split(' ') : [];
    return { id: `jwt:${JSON.stringify([iss, sub])}`, scopes: new Set(scopes) };
  }

  function reject(error: unknown): never {
    if (error instanceof ServiceError) throw error;
    if (error instanceof KeysUnknown) {
      const message = 'The token cannot be verified at the moment; try again.';
      const headers = { 'retry-after': `${error.retryAfter}` };
      // Anyone can send a token with an unknown key: only what keeps the keys away is a failure.
      throw new ServiceError('UNAVAILABLE', message, { headers, cause: error.cause && error });
    }
    throw badToken(messageOf(error));
  }

  function messageOf(error: unknown): string {
    if (error instanceof errors.JWTClaimValidationFailed) return `The token ${problemOf(error)}.`;
    if (error instanceof errors.JOSEAlgNotAllowed)
      return `The token must be signed by ${options.algorithms.join(' or ')}.`;
    return PROBLEMS.find(([kind]) => error instanceof kind)?.[1] ?? 'The token is invalid.';
  }

  function problemOf({ claim, reason }: errors.JWTClaimValidationFailed): string {
    if (reason === 'missing') return `has no ${claim}`;
    if (reason === 'check_failed' && claim === 'nbf') return 'is not valid yet: see its nbf';
    if (reason === 'check_failed' && claim === 'iss') return `must have ${options.issuer} as its iss`;
    if (reason === 'check_failed' && claim === 'aud') return `must have ${options.audience} as its aud`;
    return `has an invalid ${claim}`;
  }
}
