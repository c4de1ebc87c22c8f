import { type Access, badToken, createAccess, OPEN_ACCESS, type Verifier } from '../engine/auth/access.ts';
import { keyVerifier, PREFIX } from '../engine/auth/keys.ts';
import type { Database } from '../engine/db/client.ts';
import type { Settings } from './settings.ts';

type AuthSettings = Pick<
  Settings,
  'AUTH' | 'JWT_JWKS_URL' | 'JWT_ISSUER' | 'JWT_AUDIENCE' | 'JWT_ALGORITHMS' | 'JWT_CLOCK_SKEW'
>;

/** The access that the settings ask for: API keys of the database, and tokens where their issuer is named. */
export async function accessFrom(settings: AuthSettings, database: Database): Promise<Access> {
  if (settings.AUTH === 'open') return OPEN_ACCESS;
  const clock = () => new Date();
  const verifyKey = keyVerifier(database, clock);
  const verifyJwt = await jwtVerifierFrom(settings, clock);
  return createAccess(settings.AUTH === 'all' ? 'all' : 'changes', (token) =>
    token.startsWith(PREFIX) ? verifyKey(token) : verifyJwt(token),
  );
}

/** Loads what verifies tokens only where some are taken. */
async function jwtVerifierFrom(settings: AuthSettings, clock: () => Date): Promise<Verifier> {
  const { JWT_JWKS_URL: jwks, JWT_ISSUER: issuer, JWT_AUDIENCE: audience } = settings;
  if (jwks === undefined || issuer === undefined || audience === undefined) {
    return () => {
      throw badToken('This service does not accept tokens. Send an API key.');
    };
  }
  const { jwtVerifier } = await import('../engine/auth/jwt.ts');
  const { JWT_ALGORITHMS: algorithms, JWT_CLOCK_SKEW: clockSkew } = settings;
  return jwtVerifier({ jwks, issuer, audience, algorithms, clockSkew }, clock);
}
