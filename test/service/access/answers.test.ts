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

describe('what a change answers with', () => {
  test('is more than its own row only for who may read, where reads are closed', async () => {
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

describe('pages', () => {
  const get = (app: TestApp, path: string, credential?: string, accept = 'text/html') => {
    const { headers = {} } = bearing(credential);
    return app.fetch(new Request(`http://pets.example${path}`, { headers: { accept, ...headers } }));
  };

  test('that tell of clients are closed with the reads; the others and the checks are open', async () => {
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

test('no cache answers in our place unasked, and where reads are closed none keeps an answer for others', async () => {
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
  }
});

test('a stored answer is told only to who may still do what it answers', async () => {
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

test('a key of an idempotent request is the key of its caller alone', async () => {
  const [ann, bob] = [await makeKey(open, ['catalogue:write']), await issuer.token({ scope: 'catalogue:write' })];
  const send = (credential: string, name: string) =>
    open.rest('POST', '/categories', {
      body: { name },
      headers: { 'idempotency-key': 'same', authorization: `Bearer ${credential}` },
    });
  expect((await send(ann, 'Dogs')).status).toBe(201);
  expect((await send(bob, 'Cats')).status).toBe(201);
  expect((await send(ann, 'Dogs')).headers.get('idempotent-replayed')).toBe('true');
  expect((await send(bob, 'Dogs')).status).toBe(422);
});
