import { afterAll, beforeAll, expect, test } from 'vitest';
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
  const find = jwtVerifier(options, createChallenge('a test'), () => new Date(time));
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
  const cause = { message: 'The request for the keys failed.', cause: expect.any(Error) };
  await expect(verifier()(token)).rejects.toMatchObject({ code: 'UNAVAILABLE', cause });
});
