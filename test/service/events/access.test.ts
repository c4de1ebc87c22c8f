import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { keyStore } from '../../../src/engine/auth/keys.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { nextOf, published } from '../../support/feed.ts';
import { makeKey } from '../access/callers.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({ AUTH: 'all' });
  await app.begin();
});
afterAll(async () => {
  await app.flush();
  await app.dispose();
});

/** How far the clock is ahead, in milliseconds. */
let ahead = 0;
const steady = performance.now.bind(performance);
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  vi.spyOn(performance, 'now').mockImplementation(() => steady() + ahead);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const SUBSCRIPTION = JSON.stringify({ query: 'subscription { events { id type } }' });
const WAITING = JSON.stringify({ query: '{ events(after: "now", wait: 10) { nodes { id } } }' });

function open(credential: string | undefined, way: 'REST' | 'GraphQL'): Promise<Response> {
  const headers = {
    accept: 'text/event-stream',
    'content-type': 'application/json',
    ...(credential !== undefined && { authorization: `Bearer ${credential}` }),
  };
  return app.fetch(
    way === 'REST'
      ? new Request('http://pets.example/events', { headers })
      : new Request('http://pets.example/graphql', { method: 'POST', headers, body: SUBSCRIPTION }),
  );
}

describe.each(['REST', 'GraphQL'] as const)('where reads need a credential, a stream of %s', (way) => {
  test('is rejected without one, and without the scope read', async () => {
    const unknown = await open(undefined, way);
    expect([unknown.status, unknown.headers.get('www-authenticate')]).toEqual([401, expect.stringMatching(/^Bearer/)]);
    const other = await open(await makeKey(app, ['orders:write']), way);
    expect(other.status).toBe(403);
  });

  test('ends a few seconds after its key is revoked, and not before', async () => {
    const key = await makeKey(app, ['read']);
    const response = await open(key, way);
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store']);
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    const reading = (async () => {
      for (let chunk = await reader?.read(); chunk?.done === false; chunk = await reader?.read()) text += chunk.value;
    })();
    let hasEnded = false;
    void reading.then(() => {
      hasEnded = true;
    });
    const pass = async (milliseconds: number) => {
      ahead += milliseconds;
      await vi.advanceTimersByTimeAsync(milliseconds);
      await sleep(100);
    };
    await pass(2_500);
    expect(hasEnded).toBe(false);
    await keyStore(app.database).revoke(key.split('_')[1] ?? '');
    await pass(4_000);
    await reading;
    if (way === 'GraphQL')
      expect(text).toMatch(/event: next\ndata: \{"errors":\[.*UNAUTHENTICATED.*\n\nevent: complete/);
    else expect(text).toMatch(/: The API key is unknown or revoked\.\n\n$/);
  });
});

test.each([
  ['REST', '/events?after=now&wait=10', {}],
  ['GraphQL', '/graphql', { method: 'POST', body: WAITING }],
])('a page of %s that waits has no events after its key is revoked', async (_way, path, init) => {
  const key = await makeKey(app, ['read']);
  const send = (credential: string, path: string, init: RequestInit) =>
    app.fetch(
      new Request(`http://pets.example${path}`, {
        ...init,
        headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json' },
      }),
    );
  // Its key is known, so it waits from now on.
  expect((await send(key, '/events?limit=1', {})).status).toBe(200);
  const waiting = send(key, path, init);
  const metrics = async () => (await send(key, '/metrics', {})).text();
  await expect.poll(metrics).toMatch(/^event_streams 1$/m);
  await keyStore(app.database).revoke(key.split('_')[1] ?? '');
  ahead += 2_500;
  const writer = await makeKey(app, ['catalogue:write']);
  const created = await send(writer, '/categories', { method: 'POST', body: '{"name":"Ferrets"}' });
  expect(created.status).toBe(201);
  const response = await waiting;
  expect([response.status, await response.text()]).toEqual([401, expect.stringContaining('UNAUTHENTICATED')]);
});

test('a full page of events, which caches may keep, is for the same credential alone where reads need one', async () => {
  const headers = { authorization: `Bearer ${await makeKey(app, ['read', 'catalogue:write'])}` };
  for (const name of ['Ferrets', 'Parrots']) await app.rest('POST', '/categories', { headers, body: { name } });
  await published(app);
  const full = await app.rest('GET', nextOf(await app.rest('GET', '/events?limit=1', { headers })), { headers });
  expect(full.body).toHaveLength(1);
  expect(full.headers.get('cache-control')).toBe('max-age=31536000, immutable, private');
  expect(full.headers.get('vary')?.split(', ')).toContain('Authorization');
});
