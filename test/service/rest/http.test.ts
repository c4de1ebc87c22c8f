import { hash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { makeRows } from './examples.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.dispose());

/** The sources that a page may use: this service, and data inside the page. */
const OWN = /^('self'|'none'|data:|blob:)$/;
const OWN_SCRIPT = /^('self'|'sha256-[\w+/]{43}=')$/;
const OWN_STYLE = /^('self'|'sha256-[\w+/]{43}='|'unsafe-inline')$/;

/** What the home page links to, itself, a health check and an unknown path. */
let paths: readonly string[];
beforeAll(async () => {
  const home = await (await app.fetch(new Request('http://pets.example/'))).text();
  paths = ['/', ...[...home.matchAll(/<a href="([^"]+)"/g)].map(([, path = '']) => path), '/livez', '/nothing'];
});

test('no response can be sniffed as another type, and no page is framed or loads from other origins', async () => {
  for (const path of paths) {
    const response = await app.fetch(new Request(`http://pets.example${path}`, { headers: { accept: 'text/html' } }));
    const { headers } = response;
    expect([path, headers.get('x-content-type-options')]).toEqual([path, 'nosniff']);
    if (!headers.get('content-type')?.startsWith('text/html')) continue;
    const policy = headers.get('content-security-policy')?.split('; ');
    const nothing = ['default-src', 'base-uri', 'form-action', 'frame-ancestors'].map((name) => `${name} 'none'`);
    expect(policy).toEqual(expect.arrayContaining(nothing));
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    for (const [, style = ''] of (await response.text()).matchAll(/<style>([\s\S]*?)<\/style>/g)) {
      expect(policy?.join()).toContain(`'sha256-${hash('sha256', style, 'base64')}'`);
    }
    for (const directive of policy ?? []) {
      const [name, ...sources] = directive.split(' ');
      const own = name === 'style-src' ? OWN_STYLE : name === 'script-src' ? OWN_SCRIPT : OWN;
      for (const source of sources) expect([path, name, source]).toEqual([path, name, expect.stringMatching(own)]);
    }
  }
});

test('what is a page for browsers and JSON for others says that it depends on Accept', async () => {
  for (const path of paths) {
    const [page, other] = await Promise.all(
      ['text/html, */*;q=0.1', 'application/json'].map((accept) =>
        app.fetch(new Request(`http://pets.example${path}`, { headers: { accept } })),
      ),
    );
    if (page?.headers.get('content-type') === other?.headers.get('content-type')) continue;
    for (const answer of [page, other]) {
      expect([path, answer?.headers.get('vary')]).toEqual([path, expect.stringMatching(/Accept(,|$)/)]);
    }
  }
});

test('a response has no traceparent while requests are not traced', async () => {
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  expect((await app.rest('GET', '/pets', { headers: { traceparent } })).headers.get('traceparent')).toBeNull();
});

describe('X-Request-Id', () => {
  const UUID = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

  test('is generated for each request without one', async () => {
    const ids = [];
    for (const path of ['/pets', '/pets', '/nothing', '/pets/abc']) {
      ids.push((await app.rest('GET', path)).headers.get('x-request-id') ?? '');
    }
    for (const id of ids) expect(id).toMatch(UUID);
    expect(new Set(ids)).toHaveLength(ids.length);
  });

  test.each(['abc', '0', 'c0ffee-1.2:3/4@host+x=y_z', 'x'.repeat(128)])(
    'is echoed when it is valid: %s',
    async (id) => {
      for (const [method, path] of [
        ['GET', '/pets'],
        ['HEAD', '/pets/0'],
        ['POST', '/pets'],
        ['OPTIONS', '/pets'],
        ['DELETE', '/nothing'],
      ] as const) {
        expect((await app.rest(method, path, { headers: { 'x-request-id': id } })).headers.get('x-request-id')).toBe(
          id,
        );
      }
    },
  );

  test.each(['', 'two words', 'x'.repeat(129), 'quote"', '<script>', 'café', 'a,b', '{}', 'a;b'])(
    'is replaced when it is invalid: %s',
    async (id) => {
      const { status, headers } = await app.rest('GET', '/pets', { headers: { 'x-request-id': id } });
      expect(status).toBe(200);
      expect(headers.get('x-request-id')).toMatch(UUID);
    },
  );
});

test('a path with needless percent-encoding is the same path (RFC 3986, section 6.2.2.2)', async () => {
  const { petId } = await makeRows(app);
  const encoded = (text: string) => text.replaceAll(/\w/g, (one) => `%${one.charCodeAt(0).toString(16)}`);
  const same = await app.fetch(new Request(`http://pets.example/${encoded('pets')}/${encoded(String(petId))}`));
  expect([same.status, (await same.json()).id]).toEqual([200, petId]);
  for (const other of ['/pets%2F1', '/pets%3Flimit=1', '/%70et', '/pets%5B'])
    expect([other, (await app.fetch(new Request(`http://pets.example${other}`))).status]).toEqual([other, 404]);
});

test('a PUT with Content-Range is 400 (RFC 9110, section 14.5: SHOULD), and replaces nothing', async () => {
  const { petId } = await makeRows(app);
  const before = await app.rest('GET', `/pets/${petId}`);
  const { id, ...body } = before.body;
  const headers = { 'content-range': 'bytes 0-9/100' };
  const answer = await app.rest('PUT', `/pets/${id}`, { body: { ...body, name: 'Max' }, headers });
  expect([answer.status, answer.body.message]).toEqual([400, 'A PUT replaces the whole row; omit Content-Range.']);
  expect((await app.rest('GET', `/pets/${id}`)).body).toEqual(before.body);
});
