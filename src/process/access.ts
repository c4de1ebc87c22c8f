import { type Access, createAccess, OPEN_ACCESS, type Verifier } from '../engine/auth/access.ts';
import { type Challenge, createChallenge } from '../engine/auth/challenge.ts';
import { keyVerifier, PREFIX } from '../engine/auth/keys.ts';
import type { Database } from '../engine/db/client.ts';
import type { Settings } from './settings.ts';

/**
 * The access that the settings configure: API keys of the database, and tokens if an issuer is set. The realm is that
 * of challenges to clients (RFC 9110, section 11.5).
 */
export async function accessFrom(settings: Settings, database: Database, realm: string): Promise<Access> {
  if (settings.AUTH === 'open') return OPEN_ACCESS;
  const clock = () => new Date();
  const challenge = createChallenge(
    realm,
    settings.JWT_JWKS_URL === undefined ? 'an API key' : 'an API key or a token',
  );
  const verifyKey = keyVerifier(database, challenge, clock);
  const verifyJwt = await jwtVerifierFrom(settings, challenge, clock);
  return createAccess(settings.AUTH === 'all' ? 'all' : 'changes', challenge, (token) =>
    token.startsWith(PREFIX) ? verifyKey(token) : verifyJwt(token),
  );
}

/** Imports the verifier of tokens only if tokens are accepted. */
async function jwtVerifierFrom(settings: Settings, challenge: Challenge, clock: () => Date): Promise<Verifier> {
  const { JWT_JWKS_URL: jwks, JWT_ISSUER: issuer, JWT_AUDIENCE: audience } = settings;
  if (jwks === undefined || issuer === undefined || audience === undefined) {
    return () => {
      throw challenge.badToken(
        `This is not an API key, which begins with ${PREFIX}, and this service accepts no tokens.`,
      );
    };
  }
  const { jwtVerifier } = await import('../engine/auth/jwt.ts');
  const { JWT_ALGORITHMS: algorithms, JWT_CLOCK_SKEW: clockSkew } = settings;
  return jwtVerifier({ jwks, issuer, audience, algorithms, clockSkew }, challenge, clock);
}
