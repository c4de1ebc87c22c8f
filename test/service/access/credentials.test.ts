import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Caller } from '../../../src/engine/auth/access.ts';
import { createChallenge } from '../../../src/engine/auth/challenge.ts';
import { keyStore, keyVerifier } from '../../../src/engine/auth/keys.ts';
import type { TestApp } from '../../support/app.ts';
import { sendRaw, statusesIn } from '../../support/raw.ts';
import { watched } from '../../support/watched.ts';
import { type Apps, bearing, expectRejected, makeKey, startApps } from './callers.ts';
import type { Issuer } from './issuer.ts';

let apps: Apps;
let issuer: Issuer;
let closed: TestApp;

beforeAll(async () => {
  apps = await startApps();
  ({ issuer, closed } = apps);
});
afterAll(() => apps?.dispose());

describe('a credential', () => {
  const get = (credential: string) => closed.rest('GET', '/pets', bearing(credential));
  const rejected = (credential: string, message: RegExp) => expectRejected(apps, credential, message);

  test('with the read scope may read', async () => {
    expect((await get(await makeKey(closed, ['read']))).status).toBe(200);
    expect((await get(await issuer.token({ scope: 'orders:write read' }))).status).toBe(200);
  });

  test('uses the Bearer scheme, in upper or lower case', async () => {
    const token = await issuer.token({ scope: 'read' });
    const send = (authorization: string) => closed.rest('GET', '/pets', { headers: { authorization } });
    expect((await send(`bearer ${token}`)).status).toBe(200);
    const challenge = async (authorization: string) => {
      const { status, headers } = await send(authorization);
      expect(status).toBe(401);
      return headers.get('www-authenticate');
    };
    for (const bad of ['Bearer', `Bearer ${token} ${token}`, 'Bearer ü']) {
      expect(await challenge(bad)).toMatch(/^Bearer realm="pet-store", error="invalid_token"/);
    }
    // RFC 6750, section 3.1: without a token there SHOULD NOT be an error code.
    for (const other of ['', 'Basic YTpi', token]) expect(await challenge(other)).toBe('Bearer realm="pet-store"');
  });

  test('is rejected if it is sent twice: a proxy may have checked the other one', async () => {
    const [base, key] = [await closed.listen(), await makeKey(closed, ['read'])];
    const send = async (...credentials: string[]) => {
      const fields = credentials.map((one) => `Authorization: Bearer ${one}\r\n`).join('');
      return statusesIn((await sendRaw(base, `GET /pets?limit=1 HTTP/1.1\r\nHost: x\r\n${fields}\r\n`)).text);
    };
    expect(await send(key)).toEqual([200]);
    for (const other of [key, 'other']) {
      expect(await send(key, other)).toEqual([401]);
      expect(await send(other, key)).toEqual([401]);
    }
  });

  describe('that is an API key', () => {
    test('is rejected once it has expired', async () => {
      await rejected(await makeKey(closed, ['read'], new Date(Date.now() - 1)), /has expired/);
    });

    test('is rejected within two seconds of its revocation, even if it was used just before', async () => {
      const keys = keyStore(closed.database);
      const { key, text } = await keys.create('a test', ['read'], null);
      expect((await get(text)).status).toBe(200);
      await keys.revoke(key.id);
      await expect.poll(async () => (await get(text)).status, { timeout: 2_500 }).toBe(401);
    });

    test('is rejected so soon even if it took two seconds to look it up', async () => {
      const keys = keyStore(closed.database);
      const { key, text } = await keys.create('a test', ['read'], null);
      const now = performance.now.bind(performance);
      const slow = watched(closed.database, async (_, run) => {
        const rows = await run();
        await keys.revoke(key.id);
        vi.spyOn(performance, 'now').mockImplementation(() => now() + 2_001);
        return rows;
      });
      onTestFinished(() => void vi.restoreAllMocks());
      const find = keyVerifier(slow, createChallenge('a test', 'an API key or a token'), () => new Date());
      const verify = async () => (find(text) as () => Promise<Caller>)();
      expect(await verify()).toMatchObject({ id: `key:${key.id}` });
      await expect(verify()).rejects.toThrow('The API key is unknown or revoked.');
    });

    test('is rejected with a wrong secret, a wrong id, or cut short', async () => {
      const key = await makeKey(closed, ['read']);
      const [, id = '', secret = ''] = /^psk_(.{12})_(.+)$/.exec(key) ?? [];
      const wrong = `${secret.startsWith('A') ? 'B' : 'A'}${secret.slice(1)}`;
      for (const bad of [`psk_${id}_${wrong}`, `psk_${'0'.repeat(12)}_${secret}`]) await rejected(bad, /is unknown/);
      for (const bad of [key.slice(0, -1), `${key}A`, 'psk_', `psk_${id}`, `PSK_${id}_${secret}`]) {
        await rejected(bad, /is incomplete|is neither/);
      }
    });

    test('is stored only as a digest', async () => {
      const key = await makeKey(closed, ['read']);
      const rows = await closed.database.transaction((query) => query('select * from api_keys', []));
      expect(JSON.stringify(rows)).not.toContain(key.split('_').slice(2).join('_'));
    });
  });
});
