import { createRemoteJWKSet, decodeJwt, errors, type FlattenedJWSInput, type JWTVerifyGetKey } from 'jose';

/** How long the keys may take to come, in milliseconds. */
const PATIENCE = 5_000;
/** How long keys are used until they are asked for again, in milliseconds. */
const KEPT = 600_000;
/** How long keys that came are not asked for again because a token names another one, in milliseconds. */
const COOLDOWN = 5_000;
/** The same where they did not come, in milliseconds. */
const PAUSE = 1_000;

/** What a token alone is to blame for, whichever keys there are. */
const OF_TOKEN = [errors.JWKSMultipleMatchingKeys, errors.JOSENotSupported];

/** What tells the time: the first goes on evenly, in milliseconds, whatever becomes of the second. */
interface Clocks {
  readonly steady: () => number;
  readonly wall: () => Date;
}

/**
 * The public keys of an issuer (RFC 7517), asked for seldom: when the first token comes, when they are ten minutes old, and
 * when a token names a key that is not among them, but then not within five seconds of the last time. Time goes by the steady
 * clock: a key that the issuer takes back is used for ten minutes at most, also where the wall clock jumps meanwhile.
 *
 * A token whose key is not among them is bad where they were asked for after the token came, or after it was made, by its
 * `iat`. Otherwise its key may be newer than they are, and nobody can tell until they may be asked for again.
 *
 * @param skew how far the issuer's clock may be from this one, in seconds
 * @returns finds the key of a token; rejects with an error of jose where the token is bad, and with `KeysUnknown` where nobody
 *   can tell
 */
export function issuerKeys(url: string, skew: number, { steady, wall }: Clocks): JWTVerifyGetKey {
  // By itself it would go by the wall clock, which may stand still for hours.
  const never = { cooldownDuration: Number.POSITIVE_INFINITY, cacheMaxAge: Number.POSITIVE_INFINITY };
  const keys = createRemoteJWKSet(new URL(url), { timeoutDuration: PATIENCE, ...never });
  /** When those were asked for that are known, and from when they may be asked for again. */
  let askedAt = Number.NEGATIVE_INFINITY;
  let nextAt = Number.NEGATIVE_INFINITY;
  let asking: Promise<void> | undefined;

  return async (header, token) => {
    const cameAt = steady();
    if (cameAt - askedAt > KEPT) await ask();
    try {
      return await keys(header, token);
    } catch (error) {
      const mayHelp = error instanceof errors.JWKSNoMatchingKey && (asking !== undefined || steady() >= nextAt);
      if (!mayHelp) throw judged(error, token, cameAt);
    }
    await ask();
    return keys(header, token).catch((error: unknown) => {
      throw judged(error, token, cameAt);
    });
  };

  /** All who ask at once ask together. */
  function ask(): Promise<void> {
    asking ??= load().finally(() => {
      asking = undefined;
    });
    return asking;
  }

  async function load(): Promise<void> {
    const started = steady();
    if (started < nextAt) throw new KeysUnknown('The keys were asked for a moment ago, and did not come.');
    try {
      await keys.reload();
      askedAt = started;
      nextAt = started + COOLDOWN;
    } catch (cause) {
      nextAt = steady() + PAUSE;
      throw new KeysUnknown('The keys did not come.', { cause });
    }
  }

  /** Why the token has no key: a fault of its own, or what is not known. */
  function judged(error: unknown, token: FlattenedJWSInput, cameAt: number): unknown {
    if (OF_TOKEN.some((kind) => error instanceof kind)) return error;
    if (!(error instanceof errors.JWKSNoMatchingKey))
      return new KeysUnknown('The keys cannot be used.', { cause: error });
    if (askedAt >= cameAt) return error;
    const age = steady() - askedAt;
    const made = madeAt(token);
    // One that does not say when it was made is taken for an old one as long as the keys are new.
    const isOlder = made === undefined ? age < COOLDOWN : wall().getTime() - made > age + skew * 1000;
    return isOlder ? error : new KeysUnknown('Its key may be newer than those that are known.', { cause: error });
  }
}

/** Whose key a token has been signed by cannot be told just now. */
export class KeysUnknown extends Error {}

/** When a token says that it was made, in milliseconds since the epoch. */
function madeAt({ protected: head, payload }: FlattenedJWSInput): number | undefined {
  try {
    const { iat } = decodeJwt(`${head}.${payload}.`);
    return typeof iat === 'number' ? iat * 1000 : undefined;
  } catch {
    return undefined;
  }
}
