import { hash } from 'node:crypto';
import { createRemoteJWKSet, decodeJwt, errors, type FlattenedJWSInput, type JWTVerifyGetKey } from 'jose';
import { LRUCache } from 'lru-cache';
import { sharedCall } from '../shared-call.ts';

// In milliseconds.
const TIMEOUT = 5_000;
/** The age at which keys are requested again. */
const REFRESH_AFTER = 600_000;
/** The minimum age at which an unknown key causes a new request. */
const COOLDOWN = 5_000;
/** The pause after a request that failed. */
const PAUSE = 1_000;

/** How many tokens with an unknown key are recognized when they come again. */
const MAX_SEEN = 1_000;

/** Errors of the token itself, whichever keys there are. */
const TOKEN_ERRORS = [errors.JWKSMultipleMatchingKeys, errors.JOSENotSupported];

/**
 * Finds the key of a token among the public keys of its issuer (RFC 7517); rejects with an error of jose, or with
 * `KeysUnknown`. The keys are requested when the first token comes, when they are ten minutes old, and when a token
 * names an unknown one. Ages go by the steady clock: a key that the issuer withdraws is used for ten minutes at most,
 * even if the wall clock jumps.
 *
 * A token with an unknown key is invalid if the keys were requested after the token first arrived, or after it was issued,
 * by its `iat`. Otherwise its key may be newer than the known ones; only the next request for the keys shows that.
 *
 * @param skew the maximum difference between the issuer's clock and this one, in seconds
 */
export function issuerKeys(
  url: string,
  skew: number,
  { steady, wall }: { readonly steady: () => number; readonly wall: () => Date },
): JWTVerifyGetKey {
  // Never on its own: jose goes by the wall clock, which may be set back by hours.
  const never = { cooldownDuration: Number.POSITIVE_INFINITY, cacheMaxAge: Number.POSITIVE_INFINITY };
  const keys = createRemoteJWKSet(new URL(url), { timeoutDuration: TIMEOUT, ...never });
  let requestedAt = Number.NEGATIVE_INFINITY;
  /** The time from which keys may be requested again. */
  let nextAt = Number.NEGATIVE_INFINITY;
  /** When tokens with an unknown key first arrived, by their digests. */
  const firstArrivals = new LRUCache<string, number>({ max: MAX_SEEN });

  const refresh = sharedCall(load);
  return async (header, token) => {
    const arrivedAt = steady();
    if (arrivedAt - requestedAt > REFRESH_AFTER) await refresh();
    try {
      return await keys(header, token);
    } catch (error) {
      const mayHelp = error instanceof errors.JWKSNoMatchingKey && steady() >= nextAt;
      if (!mayHelp) throw judged(error, token, arrivedAt);
    }
    await refresh();
    return keys(header, token).catch((error: unknown) => {
      throw judged(error, token, arrivedAt);
    });
  };

  async function load(): Promise<void> {
    const started = steady();
    if (started < nextAt) throw keysUnknown('The last request for the keys failed a moment ago.');
    try {
      await keys.reload();
      requestedAt = started;
      nextAt = started + COOLDOWN;
    } catch (cause) {
      nextAt = steady() + PAUSE;
      throw keysUnknown('The request for the keys failed.', cause);
    }
  }

  /** The error of a token without a key: the original one if the token is invalid, otherwise `KeysUnknown`. */
  function judged(error: unknown, token: FlattenedJWSInput, arrivedAt: number): unknown {
    if (TOKEN_ERRORS.some((kind) => error instanceof kind)) return error;
    if (!(error instanceof errors.JWKSNoMatchingKey)) return keysUnknown('The keys cannot be used.', error);
    const text = `${token.protected}.${token.payload}.${token.signature}`;
    const digest = hash('sha256', text, 'base64');
    const firstArrivedAt = firstArrivals.get(digest) ?? arrivedAt;
    if (requestedAt >= firstArrivedAt) return error;
    const age = steady() - requestedAt;
    const { iat } = decodeJwt(text);
    // A token without `iat` counts as older than the keys while they are new.
    const isOlder = typeof iat === 'number' ? wall().getTime() - iat * 1000 > age + skew * 1000 : age < COOLDOWN;
    if (isOlder) return error;
    firstArrivals.set(digest, firstArrivedAt);
    return keysUnknown('The key of the token may be newer than the known keys.');
  }

  function keysUnknown(message: string, cause?: unknown): KeysUnknown {
    const retryAfter = Math.max(1, Math.ceil((nextAt - steady()) / 1000));
    return new KeysUnknown(message, retryAfter, { cause });
  }
}

/** The key of a token can't be determined at the moment. */
export class KeysUnknown extends Error {
  /** When the keys may be requested again, in seconds from now. */
  readonly retryAfter: number;

  constructor(message: string, retryAfter: number, options: ErrorOptions) {
    super(message, options);
    this.retryAfter = retryAfter;
  }
}
