import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { type Apps, bearing, expectRejected, startApps, trustIn } from './callers.ts';
import { AUDIENCE, ISSUER, type Issuer, startIssuer } from './issuer.ts';

let apps: Apps;
let issuer: Issuer;
let closed: TestApp;

beforeAll(async () => {
  apps = await startApps();
  ({ issuer, closed } = apps);
});
afterAll(() => apps?.dispose());

describe('a token', () => {
  const get = (credential: string) => closed.rest('GET', '/pets', bearing(credential));
  const rejected = (credential: string, message: RegExp) => expectRejected(apps, credential, message);
  const now = () => Math.floor(Date.now() / 1000);

  test('is accepted with clocks up to half a minute apart', async () => {
    const read = { scope: 'read' };
    expect((await get(await issuer.token({ ...read, exp: now() - 20 }))).status).toBe(200);
    expect((await get(await issuer.token({ ...read, nbf: now() + 20 }))).status).toBe(200);
    await rejected(await issuer.token({ ...read, exp: now() - 40 }), /has expired/);
    await rejected(await issuer.token({ ...read, nbf: now() + 40 }), /is not valid yet: see its nbf/);
  });

  test('is rejected with another audience or issuer, or without a subject or an expiry', async () => {
    const read = { scope: 'read' };
    await rejected(await issuer.token({ ...read, aud: 'another' }), /must have \S+ as its aud/);
    await rejected(await issuer.token({ ...read, iss: 'https://evil.example' }), /must have \S+ as its iss/);
    await rejected(await issuer.token({ ...read, exp: undefined }), /has no exp/);
    await rejected(await issuer.token({ ...read, sub: undefined }), /has no sub/);
    await rejected(await issuer.token({ ...read, sub: 'x'.repeat(256) }), /sub is longer than 255/);
    for (const sub of ['', 7, { name: 'ann' }]) {
      await rejected(await issuer.token({ ...read, sub: sub as string }), /has an invalid sub/);
    }
  });

  test('that takes long to read, sent many times at once, does not hold up the callers of other addresses', async () => {
    const app = await startTestApp({ AUTH: 'all', PROXIES: 1, ...trustIn(issuer) });
    const send = (address: string, token: string) =>
      app.fetch(
        new Request('http://pets.example/pets', {
          headers: { 'x-forwarded-for': address, authorization: `Bearer ${token}` },
        }),
      );
    const token = await issuer.token({ scope: 'read' });
    const nested = Buffer.from(`{"a":${'['.repeat(5_000)}${']'.repeat(5_000)}}`).toString('base64url');
    let rejected = 0;
    const flood = Array.from({ length: 100 }, async () => {
      const { status } = await send('10.0.0.1', `${token.split('.')[0]}.${nested}.x`);
      expect(status).toBe(401);
      rejected++;
    });
    expect((await send('10.0.0.2', token)).status).toBe(200);
    expect(rejected).toBeLessThan(50);
    await Promise.all(flood);
    await app.dispose();
  });

  test('is rejected with alg none, even if it has a signature', async () => {
    const [, payload, signature] = (await issuer.token({ scope: 'read' })).split('.');
    for (const alg of ['none', 'None', 'NONE']) {
      const header = Buffer.from(JSON.stringify({ alg, kid: 'first' })).toString('base64url');
      await rejected(`${header}.${payload}.`, /must be signed by RS256 or/);
      await rejected(`${header}.${payload}.${signature}`, /must be signed by RS256 or/);
    }
  });

  test('is rejected when its algorithm is not listed, even if the signature is valid', async () => {
    const app = await startTestApp({ AUTH: 'all', ...trustIn(issuer), JWT_ALGORITHMS: ['ES256'] });
    const { status } = await app.rest('GET', '/pets', bearing(await issuer.token({ scope: 'read' })));
    expect(status).toBe(401);
    await app.dispose();
  });

  test('is rejected when it uses the public key as a shared secret', async () => {
    const [, payload] = (await issuer.token({ scope: 'read' })).split('.');
    const header = Buffer.from(JSON.stringify({ alg: 'HS256', kid: 'first' })).toString('base64url');
    const signature = createHmac('sha256', issuer.publicKey).update(`${header}.${payload}`).digest('base64url');
    await rejected(`${header}.${payload}.${signature}`, /must be signed by RS256 or/);
  });

  test('is rejected when another key signed it, under the known key id or its own', async () => {
    const { privateKey } = await generateKeyPair('RS256');
    for (const [kid, said] of [
      ['first', /signature of the token is invalid/],
      ['second', /issuer of the token does not have its key/],
    ] as const) {
      const claims = { iss: ISSUER, aud: AUDIENCE, sub: 'eve', exp: now() + 300, scope: 'read' };
      const forged = new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid });
      await rejected(await forged.sign(privateKey), said);
    }
  });

  test('is rejected when it is cut short, or its payload was changed', async () => {
    const token = await issuer.token({ scope: 'orders:write' });
    const [header, payload = '', signature] = token.split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
    const more = Buffer.from(JSON.stringify({ ...claims, scope: 'read' })).toString('base64url');
    for (const bad of [token.slice(0, -4), `${header}.${more}.${signature}`])
      await rejected(bad, /signature of the token/);
    for (const bad of [token.slice(0, -5), `${header}.${payload}`, `${header}..`])
      await rejected(bad, /neither an API key, .* nor a valid JSON/);
  });

  test('is rejected when its header has a key, a link to a key, or an unknown critical parameter', async () => {
    const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true });
    const asked = issuer.asked;
    const jwk = await exportJWK(publicKey);
    for (const own of [{ jwk }, { jku: issuer.url }, { x5u: issuer.url }]) {
      const claims = { iss: ISSUER, aud: AUDIENCE, sub: 'eve', exp: now() + 300, scope: 'read' };
      const forged = new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'first', ...own });
      await rejected(await forged.sign(privateKey), /is invalid/);
    }
    const [, payload, signature] = (await issuer.token({ scope: 'read' })).split('.');
    const critical = Buffer.from(JSON.stringify({ alg: 'RS256', kid: 'first', crit: ['x'], x: 1 }));
    await rejected(
      `${critical.toString('base64url')}.${payload}.${signature}`,
      /needs something that is not supported/,
    );
    expect(issuer.asked - asked).toBeLessThan(2);
  });

  test('is 503 while the issuer does not answer and its key is unknown, and is checked once the issuer is back', async () => {
    const away = await startIssuer();
    away.status = 500;
    const app = await startTestApp({ AUTH: 'all', ...trustIn(away) });
    const credential = bearing(await away.token({ scope: 'read' }));
    const { status, body, headers } = await app.rest('GET', '/pets', credential);
    expect([status, body.code, headers.get('retry-after')]).toEqual([503, 'UNAVAILABLE', '1']);
    away.status = 200;
    await sleep(Number(headers.get('retry-after')) * 1_000);
    expect((await app.rest('GET', '/pets', credential)).status).toBe(200);
    await Promise.all([app.dispose(), away.close()]);
  });

  test('is 503 when the issuer redirects to its keys: no redirect is followed', async () => {
    const moved = await startIssuer();
    moved.status = 302;
    const app = await startTestApp({ AUTH: 'all', ...trustIn(moved) });
    expect((await app.rest('GET', '/pets', bearing(await moved.token({ scope: 'read' })))).status).toBe(503);
    expect(moved.asked).toBe(1);
    await Promise.all([app.dispose(), moved.close()]);
  });

  test('is 503 after five seconds when the issuer does not answer', async () => {
    const silent = await startIssuer();
    silent.status = 0;
    const app = await startTestApp({ AUTH: 'all', ...trustIn(silent) });
    const began = performance.now();
    expect((await app.rest('GET', '/pets', bearing(await silent.token({ scope: 'read' })))).status).toBe(503);
    expect(performance.now() - began).toBeLessThan(7_000);
    await Promise.all([app.dispose(), silent.close()]);
  }, 15_000);

  test('is verified without a request to the issuer each time, even if its key is unknown', async () => {
    await get(await issuer.token({ scope: 'read' }));
    const before = issuer.asked;
    for (let n = 0; n < 20; n++) await get(await issuer.token({ scope: 'read', jti: `${n}` }, { kid: `unknown${n}` }));
    expect(issuer.asked - before).toBeLessThan(2);
  });
});
