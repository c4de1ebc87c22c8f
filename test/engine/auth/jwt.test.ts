import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { Caller } from '../../../src/engine/auth/access.ts';
import { createChallenge } from '../../../src/engine/auth/challenge.ts';
import { jwtVerifier } from '../../../src/engine/auth/jwt.ts';
import { AUDIENCE, ISSUER, type Issuer, startIssuer } from '../../service/access/issuer.ts';

const SKEW = 30;

let issuer: Issuer;
let time = Date.now();
let verify: (token: string) => Promise<Caller>;
beforeAll(async () => {
  issuer = await startIssuer();
  verify = verifier();
});
afterAll(() => issuer.close());

function verifier(): typeof verify {
  const options = { jwks: issuer.url, issuer: ISSUER, audience: AUDIENCE, algorithms: ['RS256'], clockSkew: SKEW };
  const find = jwtVerifier(options, createChallenge('a test', 'an API key or a token'), () => new Date(time));
  return async (token) => {
    const found = find(token);
    return typeof found === 'function' ? found() : found;
  };
}

test('a token that was verified a moment ago is valid as long as the clocks may differ, and then no more', async () => {
  const exp = Math.floor(time / 1000) + 10;
  const token = await issuer.token({ exp });
  expect(await verify(token)).toBe(await verify(token));
  time = (exp + SKEW) * 1000 - 1;
  expect(await verify(token)).toBe(await verify(token));
  time += 1;
  await expect(verify(token)).rejects.toThrow('The token has expired.');
});

test('a token without a scope, or with a list in its place, has none', async () => {
  const exp = Math.floor(time / 1000) + 10;
  for (const scope of [undefined, ['read']])
    expect(await verify(await issuer.token({ exp, scope }))).toMatchObject({ scopes: new Set() });
});

test('a token that cannot be verified because the issuer fails is UNAVAILABLE, with the cause for the log', async () => {
  const token = await issuer.token({ exp: Math.floor(time / 1000) + 10 });
  issuer.status = 500;
  onTestFinished(() => {
    issuer.status = 200;
  });
  const cause = { message: 'The request for the keys failed.', cause: expect.any(Error) };
  await expect(verifier()(token)).rejects.toMatchObject({ code: 'UNAVAILABLE', cause });
});

test('a token that no key makes valid is rejected without a request for keys, with what is accepted', async () => {
  const exp = Math.floor(time / 1000) + 1_000;
  const kid = 'unknown';
  const asked = issuer.asked;
  const rejected = async (claims: Parameters<Issuer['token']>[0], message: string) =>
    expect(verify(await issuer.token({ exp, ...claims }, { kid }))).rejects.toThrow(message);
  await rejected({ aud: 'another' }, `The token must have ${AUDIENCE} as its aud.`);
  await rejected({ iss: 'https://evil.example' }, `The token must have ${ISSUER} as its iss.`);
  await rejected({ exp: undefined }, 'The token has no exp.');
  await rejected({ exp: exp - 2_000 }, 'The token has expired.');
  await rejected({ sub: '' }, 'The token has an invalid sub.');
  await rejected({ nbf: 'soon' as unknown as number }, 'The token has an invalid nbf.');
  expect(issuer.asked).toBe(asked);
});

test('the wait until a token may be verified is that until the issuer may be asked again', async () => {
  const exp = Math.floor(time / 1000) + 1_000;
  const verifyLate = verifier();
  await verifyLate(await issuer.token({ exp }));
  const newer = await issuer.token({ exp, iat: Math.floor(time / 1000) }, { kid: 'newer' });
  await expect(verifyLate(newer)).rejects.toMatchObject({
    ...{ code: 'UNAVAILABLE', headers: { 'retry-after': '5' } },
    // Nothing has failed.
    cause: undefined,
  });
});

test('what an issuer or an audience is called never breaks the header field of a rejection', async () => {
  const { badToken } = createChallenge('a test', 'an API key');
  expect(badToken('must be "Bücher\\"').headers['www-authenticate']).toBe(
    'Bearer realm="a test", error="invalid_token", error_description="must be ?B?cher??"',
  );
});
