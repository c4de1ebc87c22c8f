import { generateKeyPair, jwtVerify, SignJWT } from 'jose';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { issuerKeys, KeysUnknown } from '../../../src/engine/auth/issuer-keys.ts';
import { type Issuer, startIssuer } from '../../service/access/issuer.ts';

const HOUR = 3_600_000;
const SKEW = 30;

let issuer: Issuer;
/** In milliseconds: what goes on evenly, and how far the wall clock is from where it should be. */
let time: { steady: number; jump: number };
let find: (token: string) => Promise<'good' | 'bad' | 'unknown'>;

beforeEach(async () => {
  issuer = await startIssuer();
  time = { steady: 0, jump: 0 };
  const began = Date.now();
  const keyOf = issuerKeys(issuer.url, SKEW, {
    steady: () => time.steady,
    wall: () => new Date(began + time.steady + time.jump),
  });
  find = (token) => {
    return jwtVerify(token, keyOf).then(
      () => 'good',
      (error: unknown) => (error instanceof KeysUnknown ? 'unknown' : 'bad'),
    );
  };
});
afterEach(() => issuer.close());

/** A token of the issuer, made now unless something else is said. */
function token(age = 0): Promise<string> {
  const now = Math.floor((Date.now() + time.steady) / 1000);
  return issuer.token({ iat: now - age });
}

/** A token of a key that the issuer knows nothing of. */
async function strange(claims: { iat?: number } = {}): Promise<string> {
  const { privateKey } = await generateKeyPair('ES256');
  return new SignJWT({ ...claims }).setProtectedHeader({ alg: 'ES256', kid: 'strange' }).sign(privateKey);
}

describe('a token of a new key of the issuer', () => {
  test('is good at once where the keys are older than five seconds', async () => {
    expect(await find(await token())).toBe('good');
    await issuer.rotate();
    time.steady += 5_000;
    expect(await find(await token())).toBe('good');
    expect(issuer.asked).toBe(2);
  });

  test('is never taken for a bad one before that: nobody can tell', async () => {
    expect(await find(await token())).toBe('good');
    await issuer.rotate();
    time.steady += 4_999;
    expect(await find(await token())).toBe('unknown');
    // The clock of the issuer may be late.
    expect(await find(await token(SKEW))).toBe('unknown');
    expect(issuer.asked).toBe(1);
    time.steady += 1;
    expect(await find(await token())).toBe('good');
  });

  test.each([HOUR, -HOUR, 24 * HOUR])('is known as soon where the wall clock jumps by %d ms', async (jump) => {
    expect(await find(await token())).toBe('good');
    await issuer.rotate();
    time.jump = jump;
    time.steady += 5_000;
    expect(await find(await token())).toBe('good');
  });
});

describe('a token of a key that is not the issuer’s', () => {
  test('is bad where the keys were asked for after it came', async () => {
    expect(await find(await strange())).toBe('bad');
  });

  test('is bad where the keys were asked for after it was made, or it does not say when', async () => {
    const old = await token();
    expect(await find(old)).toBe('good');
    await issuer.rotate();
    time.steady += 100_000;
    expect(await find(await token())).toBe('good');
    time.steady += 4_000;
    expect(await find(old)).toBe('bad');
    expect(await find(await strange())).toBe('bad');
    expect(issuer.asked).toBe(2);
  });

  test('has the issuer asked once in five seconds at most, however many come', async () => {
    for (let n = 0; n < 100; n++) {
      await Promise.all([find(await strange()), find(await strange())]);
      time.steady += 100;
    }
    expect(issuer.asked).toBe(2);
  });
});

test.each([0, HOUR, -HOUR])(
  'a key that the issuer has taken back ends after ten minutes, the clock off by %d ms',
  async (jump) => {
    const old = await token();
    expect(await find(old)).toBe('good');
    await issuer.rotate();
    time.jump = jump;
    time.steady += 600_000;
    expect(await find(old)).toBe('good');
    time.steady += 1;
    expect(await find(old)).toBe('bad');
  },
);

test('an issuer that fails is asked once a second at most, and known keys stay good meanwhile', async () => {
  const known = await token();
  expect(await find(known)).toBe('good');
  await issuer.rotate();
  issuer.status = 500;
  for (let n = 0; n < 100; n++) {
    time.steady += 100;
    expect(await find(known)).toBe('good');
    const answer = await find(await token());
    expect(answer).toBe('unknown');
  }
  expect(issuer.asked).toBeLessThanOrEqual(1 + 6);
  issuer.status = 200;
  time.steady += 1_000;
  expect(await find(await token())).toBe('good');
});
