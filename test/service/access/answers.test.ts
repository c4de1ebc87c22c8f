import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestApp } from '../../support/app.ts';
import { type Apps, ask, bearing, makeKey, startApps } from './callers.ts';
import type { Issuer } from './issuer.ts';

let apps: Apps;
let issuer: Issuer;
let closed: TestApp;
let open: TestApp;

beforeAll(async () => {
  apps = await startApps();
  ({ issuer, closed, open } = apps);
});
afterAll(() => apps?.dispose());

describe('the response to a change', () => {
  test('has more than the changed row only for callers with the read scope, where reads need a credential', async () => {
    const both = await issuer.token({ scope: 'orders:write read' });
    const write = await issuer.token({ scope: 'orders:write' });
    const plain = 'mutation { placeOrder(order: {}) { id quantity } }';
    const wide = 'mutation { placeOrder(order: {}) { id ...More } } fragment More on Order { pet { name } }';
    expect((await ask(closed, plain, write)).code).toBeUndefined();
    expect((await ask(closed, wide, both)).code).toBeUndefined();
    expect((await ask(closed, wide, write)).code).toBe('FORBIDDEN');
    expect((await ask(open, wide, write)).code).toBeUndefined();
  });
});

test('a credential with the scope of webhooks alone may read them, also where reads need one', async () => {
  const hooks = await issuer.token({ scope: 'webhooks:write' });
  expect((await ask(closed, '{ webhooks { nodes { url } } }', hooks)).code).toBeUndefined();
  expect((await ask(closed, '{ pets { nodes { id } } }', hooks)).code).toBe('FORBIDDEN');
});

describe('pages', () => {
  const get = (app: TestApp, path: string, credential?: string, accept = 'text/html') => {
    const { headers = {} } = bearing(credential);
    return app.fetch(new Request(`http://pets.example${path}`, { headers: { accept, ...headers } }));
  };

  test('that name clients need a credential where reads do; the other pages and the health checks are open', async () => {
    const key = await makeKey(closed, ['read']);
    for (const path of ['/lifecycle', '/metrics']) {
      expect((await get(closed, path)).status).toBe(401);
      expect((await get(closed, path, key)).status).toBe(200);
      expect((await get(open, path)).status).toBe(200);
    }
    for (const path of ['/', '/reference', '/graphql', '/openapi.json', '/schema.graphql', '/livez', '/readyz']) {
      expect((await get(closed, path)).status).toBe(200);
    }
  });
});

test('caches revalidate every response, and share none where reads need a credential', async () => {
  const paths = [
    '/pets',
    '/pets/0',
    '/pets/x',
    '/graphql?query={pets{totalCount}}',
    '/lifecycle',
    '/metrics',
    '/nothing',
  ];
  const key = await makeKey(closed, ['read']);
  for (const [app, expected] of [
    [open, 'no-cache'],
    [closed, 'private, no-cache'],
  ] as const) {
    for (const headers of [{}, { authorization: `Bearer ${key}` }, { 'if-none-match': '*' }]) {
      for (const path of paths) {
        const answer = await app.fetch(new Request(`http://pets.example${path}`, { headers }));
        expect([path, headers, answer.headers.get('cache-control')]).toEqual([path, headers, expected]);
      }
    }
    // It is open to everyone.
    const document = await app.fetch(new Request('http://pets.example/openapi.json'));
    expect(document.headers.get('cache-control')).toBe('no-cache');
  }
});

test('a stored response is replayed only while its caller still has the scope', async () => {
  const may = await issuer.token({ scope: 'catalogue:write' });
  const mayNot = await issuer.token({ scope: 'orders:write' });
  const body = JSON.stringify({ query: 'mutation { createCategory(category: { name: "Secret" }) { name } }' });
  const post = (path: string, credential: string, sent: string) => {
    const headers = {
      authorization: `Bearer ${credential}`,
      'content-type': 'application/json',
      'idempotency-key': path,
    };
    return open.fetch(new Request(`http://pets.example${path}`, { method: 'POST', headers, body: sent }));
  };
  for (const [path, sent] of [
    ['/categories', '{"name":"Secret"}'],
    ['/graphql', body],
  ] as const) {
    expect((await post(path, may, sent)).ok).toBe(true);
    expect((await post(path, may, sent)).headers.get('idempotent-replayed')).toBe('true');
    const rejected = await post(path, mayNot, sent);
    expect([rejected.status, rejected.headers.get('idempotent-replayed')]).toEqual([403, null]);
    expect(await rejected.text()).not.toContain('Secret');
  }
});

test('each caller has its own idempotency keys', async () => {
  const [ann, bob] = [await makeKey(open, ['catalogue:write']), await issuer.token({ scope: 'catalogue:write' })];
  const send = (credential: string, name: string) =>
    open.rest('POST', '/categories', {
      body: { name },
      headers: { 'idempotency-key': 'same', authorization: `Bearer ${credential}` },
    });
  const both = await Promise.all([send(ann, 'Dogs'), send(bob, 'Cats')]);
  expect(both.map(({ status }) => status)).toEqual([201, 201]);
  expect((await send(ann, 'Dogs')).headers.get('idempotent-replayed')).toBe('true');
  expect((await send(bob, 'Dogs')).status).toBe(422);
});
