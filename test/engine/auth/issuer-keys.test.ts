import { CompactSign, exportJWK, generateKeyPair, jwtVerify, SignJWT } from 'jose';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { issuerKeys, KeysUnknown } from '../../../src/engine/auth/issuer-keys.ts';
import { type Issuer, startIssuer } from '../../service/access/issuer.ts';

const HOUR = 3_600_000;
const SKEW = 30;

let issuer: Issuer;
/** In milliseconds: the monotonic clock, and how far the wall clock has jumped. */
let time: { steady: number; jump: number };
let verify: (token: string) => Promise<'valid' | 'invalid' | 'unknown'>;

beforeEach(async () => {
  issuer = await startIssuer();
  time = { steady: 0, jump: 0 };
  const started = Date.now();
  const keyOf = issuerKeys(issuer.url, SKEW, {
    steady: () => time.steady,
    wall: () => new Date(started + time.steady + time.jump),
  });
  verify = (token) =>
    jwtVerify(token, keyOf).then(
      () => 'valid',
      (error: unknown) => (error instanceof KeysUnknown ? 'unknown' : 'invalid'),
    );
});
afterEach(() => issuer.close());

/** A token of the issuer. */
function token(age = 0): Promise<string> {
  const now = Math.floor((Date.now() + time.steady) / 1000);
  return issuer.token({ iat: now - age });
}

/** A token signed with a key that is not the issuer's. */
async function foreignToken(claims: { iat?: number } = {}): Promise<string> {
  const { privateKey } = await generateKeyPair('ES256');
  return new SignJWT({ ...claims }).setProtectedHeader({ alg: 'ES256', kid: 'strange' }).sign(privateKey);
}

describe('a token with a new key of the issuer', () => {
  test('is valid at once when the known keys are older than five seconds', async () => {
    expect(await verify(await token())).toBe('valid');
    await issuer.rotate();
    time.steady += 5_000;
    expect(await verify(await token())).toBe('valid');
    expect(issuer.asked).toBe(2);
  });

  test('is not rejected as invalid before that, because it may be valid', async () => {
    expect(await verify(await token())).toBe('valid');
    await issuer.rotate();
    time.steady += 4_999;
    expect(await verify(await token())).toBe('unknown');
    // The issuer's clock may be behind.
    expect(await verify(await token(SKEW))).toBe('unknown');
    expect(issuer.asked).toBe(1);
    time.steady += 1;
    expect(await verify(await token())).toBe('valid');
  });

  test('is not rejected as invalid when the issuer may have made it while it was asked for its keys', async () => {
    const asking = verify(await token());
    time.steady += 100;
    expect(await asking).toBe('valid');
    await issuer.rotate();
    expect(await verify(await token())).toBe('unknown');
  });

  test.each([HOUR, -HOUR, 24 * HOUR])('is valid as soon when the wall clock jumps by %d ms', async (jump) => {
    expect(await verify(await token())).toBe('valid');
    await issuer.rotate();
    time.jump = jump;
    time.steady += 5_000;
    expect(await verify(await token())).toBe('valid');
  });
});

describe('a token with a key that is not the issuer’s', () => {
  test('is invalid when the keys were requested after it arrived', async () => {
    expect(await verify(await foreignToken())).toBe('invalid');
  });

  test('is invalid when the keys were requested after it was issued, or it has no iat', async () => {
    const old = await token();
    expect(await verify(old)).toBe('valid');
    await issuer.rotate();
    time.steady += 100_000;
    expect(await verify(await token())).toBe('valid');
    time.steady += 4_000;
    expect(await verify(old)).toBe('invalid');
    expect(await verify(await foreignToken())).toBe('invalid');
    expect(issuer.asked).toBe(2);
  });

  test('is invalid from the first request for keys after it came, however new it says to be', async () => {
    expect(await verify(await token())).toBe('valid');
    time.steady += 1_000;
    const foreign = await foreignToken({ iat: Math.floor(Date.now() / 1000) + 100 });
    expect(await verify(foreign)).toBe('unknown');
    time.steady += 5_000;
    const answers = [];
    for (let n = 0; n < 10; n++, time.steady += 1_000) answers.push(await verify(foreign));
    expect(answers).toEqual(Array(10).fill('invalid'));
  });

  test('is invalid, whichever keys there are, if several may be meant or its algorithm has no public key', async () => {
    const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true });
    issuer.others.push({ ...(await exportJWK(publicKey)), kid: 'second', use: 'sig' });
    const nameless = new SignJWT().setProtectedHeader({ alg: 'RS256' }).sign(privateKey);
    expect(await verify(await nameless)).toBe('invalid');
    const shared = new SignJWT().setProtectedHeader({ alg: 'HS256' }).sign(Buffer.alloc(32));
    expect(await verify(await shared)).toBe('invalid');
  });

  test('may be valid, if the key that it names is broken', async () => {
    issuer.others.push({ kty: 'EC', crv: 'P-256', kid: 'strange', use: 'sig' });
    expect(await verify(await foreignToken())).toBe('unknown');
  });

  test('causes at most one request for keys in five seconds, however many such tokens come', async () => {
    for (let n = 0; n < 100; n++) {
      await Promise.all([verify(await foreignToken()), verify(await foreignToken())]);
      time.steady += 100;
    }
    expect(issuer.asked).toBe(2);
  });
});

test.each([0, HOUR, -HOUR])(
  'a key that the issuer withdraws is rejected after ten minutes, even when the clock jumps by %d ms',
  async (jump) => {
    const old = await token();
    expect(await verify(old)).toBe('valid');
    await issuer.rotate();
    time.jump = jump;
    time.steady += 600_000;
    expect(await verify(old)).toBe('valid');
    time.steady += 1;
    expect(await verify(old)).toBe('invalid');
  },
);

test('a failing issuer gets at most one request a second, and known keys stay valid meanwhile', async () => {
  const known = await token();
  expect(await verify(known)).toBe('valid');
  await issuer.rotate();
  issuer.status = 500;
  for (let n = 0; n < 100; n++) {
    time.steady += 100;
    expect(await verify(known)).toBe('valid');
    const answer = await verify(await token());
    expect(answer).toBe('unknown');
  }
  expect(issuer.asked).toBeLessThanOrEqual(1 + 6);
  // Without iat, too, and also in the pause after the failed request.
  for (let n = 0; n < 2; n++) expect(await verify(await foreignToken())).toBe('unknown');
  // Its payload is not JSON: no key makes it valid.
  const { privateKey } = await generateKeyPair('ES256');
  const malformed = new CompactSign(Buffer.from('text')).setProtectedHeader({ alg: 'ES256', kid: 'strange' });
  expect(await verify(await malformed.sign(privateKey))).toBe('invalid');
  issuer.status = 200;
  time.steady += 1_000;
  expect(await verify(await token())).toBe('valid');
});

test('an issuer that fails from the start gets at most one request a second, too', async () => {
  issuer.status = 500;
  const tokens = await Promise.all(Array.from({ length: 100 }, () => token()));
  for (const one of tokens) {
    expect(await verify(one)).toBe('unknown');
    time.steady += 100;
  }
  expect(issuer.asked).toBeLessThanOrEqual(10);
});
