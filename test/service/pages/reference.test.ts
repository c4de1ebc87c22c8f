import { readdirSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';

const OWN = new URL('../../../src/engine/pages/reference/', import.meta.url);
const SCRIPTS = readdirSync(OWN).filter((name) => name.endsWith('.js'));
const STYLES = readdirSync(OWN).filter((name) => name.endsWith('.css'));
const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
};

let app: TestApp;
let prefixed: TestApp;

beforeAll(async () => {
  app = await startTestApp();
  prefixed = await startTestApp({ BASE_PATH: '/api/v1' });
});
afterAll(async () => {
  for (const one of [app, prefixed]) await one.dispose();
});

function send(path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET'): Promise<Response> {
  return app.fetch(new Request(`http://pets.example${path}`, { method, headers }));
}

/** The paths that the page and its scripts load. */
async function loadedBy(one: TestApp, base: string): Promise<string[]> {
  const get = async (path: string) => (await one.fetch(new Request(`http://pets.example${path}`))).text();
  const found = new Set<string>();
  const visit = async (path: string, pattern: RegExp): Promise<void> => {
    for (const [, to = ''] of (await get(path)).matchAll(pattern)) {
      const { pathname } = new URL(to, `http://pets.example${path}`);
      if (found.has(pathname)) continue;
      found.add(pathname);
      if (pathname.endsWith('.js') && !pathname.includes('bundle')) await visit(pathname, /from '([^']+)'/g);
    }
  };
  await visit(`${base}/reference`, /<(?:script src|link rel="stylesheet" href)="([^"]+)"/g);
  return [...found].toSorted();
}

describe('the page', () => {
  test('may load only from this service, and runs no inline scripts', async () => {
    const response = await send('/reference');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const policy = (response.headers.get('content-security-policy') ?? '').split('; ');
    expect(policy).toEqual(expect.arrayContaining(["default-src 'none'", "script-src 'self'", "connect-src 'self'"]));
    expect(policy.filter((directive) => /unsafe|\*|https?:/.test(directive))).toEqual([]);
    const html = await response.text();
    expect(html).not.toMatch(/<style|<script(?![^>]* src=)|\son\w+=|\sstyle=|https?:/);
  });

  test.each(['', '/api/v1'])('loads only files under the base path "%s", and all of them exist', async (base) => {
    const one = base === '' ? app : prefixed;
    const loaded = await loadedBy(one, base);
    const served = [...SCRIPTS, 'style.css', 'swagger-ui-bundle.js'];
    expect(loaded).toEqual(served.map((name) => `${base}/reference/${name}`).toSorted());
    for (const path of loaded) {
      const { status, headers } = await one.fetch(new Request(`http://pets.example${path}`));
      expect([path, status, headers.get('content-type')]).toEqual([path, 200, TYPES[path.split('.').at(-1) ?? '']]);
    }
  });

  test('has all styles in one style sheet, and only those; its scripts use the bundle', async () => {
    const style = await (await send('/reference/style.css')).text();
    for (const name of STYLES) expect(style).toContain(readFileSync(new URL(name, OWN), 'utf8'));
    expect(style).not.toContain('import ');
    expect(await (await send('/reference/swagger-ui-bundle.js')).text()).toContain('SwaggerUIBundle=');
  });

  test.each([...SCRIPTS, 'style.css'])('its %s names no other host', async (name) => {
    expect(await (await send(`/reference/${name}`)).text()).not.toMatch(/\bhttps?:\/\/|['"(]\/\//);
  });
});

describe.each(['/reference', '/reference/style.css', '/reference/start.js', '/reference/swagger-ui-bundle.js'])(
  '%s',
  (path) => {
    test('is compressed for clients that accept it, and has the same content for others', async () => {
      const plain = await send(path);
      const text = await plain.text();
      expect(plain.headers.has('content-encoding')).toBe(false);
      for (const takes of ['gzip', 'br, gzip;q=0.5', '*']) {
        const zipped = await send(path, { 'accept-encoding': takes });
        expect([zipped.headers.get('content-encoding'), zipped.headers.get('vary')]).toEqual([
          'gzip',
          expect.stringMatching(/Accept-Encoding/),
        ]);
        expect(gunzipSync(await zipped.arrayBuffer()).toString()).toBe(text);
      }
      for (const takes of ['identity', 'br', 'gzip;q=0']) {
        const answer = await send(path, { 'accept-encoding': takes });
        expect([takes, answer.headers.has('content-encoding')]).toEqual([takes, false]);
      }
    });

    test('is not sent again to a client that has it (RFC 9110, section 13.1.2)', async () => {
      const { headers } = await send(path);
      const etag = headers.get('etag') ?? '';
      expect(headers.get('cache-control')).toBe('no-cache');
      for (const known of [etag, `"other", ${etag}`, etag.replace('W/', ''), '*']) {
        const answer = await send(path, { 'if-none-match': known });
        expect([known, answer.status, await answer.text()]).toEqual([known, 304, '']);
        expect(answer.headers.get('etag')).toBe(etag);
      }
      expect((await send(path, { 'if-none-match': '"other"' })).status).toBe(200);
    });

    test('answers HEAD like GET, without the body', async () => {
      const get = await send(path);
      const head = await send(path, {}, 'HEAD');
      expect([head.status, await head.text()]).toEqual([200, '']);
      expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'));
      expect(head.headers.get('content-length')).toBe(String((await get.arrayBuffer()).byteLength));
    });

    test('allows only GET and HEAD', async () => {
      const { status, headers } = await send(path, {}, 'POST');
      expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
    });
  },
);

test.each([
  '/reference/',
  '/reference/xyz',
  '/reference/swagger-ui.css',
  '/reference/index.html',
  '/reference/..%2fapp.ts',
])('%s is 404', async (path) => {
  const { status, body } = await app.rest('GET', path);
  expect([status, body.code, body.status]).toEqual([404, 'NOT_FOUND', 404]);
});
