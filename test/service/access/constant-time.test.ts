import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { bearing, makeKey } from './callers.ts';

// The comparison is observed, because no test can measure its time reliably.
const compare = vi.spyOn(crypto, 'timingSafeEqual');
syncBuiltinESMExports();

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ AUTH: 'all' });
});
afterAll(async () => {
  compare.mockRestore();
  syncBuiltinESMExports();
  await app?.dispose();
});

test('the secret of an API key is compared in constant time, even for an unknown key', async () => {
  const key = await makeKey(app, ['read']);
  const wrong = `${key.slice(0, -1)}${key.endsWith('A') ? 'E' : 'A'}`;
  const unknown = `psk_${'0'.repeat(12)}_${'A'.repeat(43)}`;
  for (const [credential, status, isRight] of [
    [key, 200, true],
    [wrong, 401, false],
    [unknown, 401, false],
  ] as const) {
    compare.mockClear();
    expect((await app.rest('GET', '/pets', bearing(credential))).status).toBe(status);
    expect(compare.mock.results).toEqual([{ type: 'return', value: isRight }]);
  }
});
