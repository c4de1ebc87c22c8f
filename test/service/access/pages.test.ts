import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { type Apps, makeKey, startApps } from './callers.ts';

const ORIGIN = 'http://pets.example';
/** The Accept header field of a browser's address bar. */
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

let apps: Apps;
let closed: TestApp;

beforeAll(async () => {
  apps = await startApps();
  ({ closed } = apps);
});
afterAll(() => apps?.dispose());

const visit = (path: string, headers: Record<string, string> = {}) =>
  closed.fetch(new Request(ORIGIN + path, { headers: { accept: BROWSER, ...headers } }));

const send = (key: string, app = closed) =>
  app.fetch(
    new Request(`${ORIGIN}/lifecycle`, {
      method: 'POST',
      headers: { accept: BROWSER },
      body: new URLSearchParams({ key }),
    }),
  );

async function cookieFor(key: string): Promise<string> {
  const response = await send(key);
  expect([response.status, response.headers.get('location')]).toEqual([303, '/lifecycle']);
  return response.headers.get('set-cookie') ?? '';
}

describe('a browser that opens a protected page', () => {
  test('is asked for a key at the address of the page, and shown the page until it drops the key', async () => {
    const rejected = await visit('/lifecycle');
    expect(rejected.status).toBe(401);
    expect(rejected.headers.get('www-authenticate')).toContain('Bearer');
    expect(rejected.headers.get('content-security-policy')).toContain("form-action 'self'");
    expect(await rejected.text()).toContain('<form method="post">');

    // With the white space that was copied with it.
    const cookie = await cookieFor(` ${await makeKey(closed, ['read'])}\n`);
    expect(cookie).toMatch(/; Path=\/lifecycle; HttpOnly; SameSite=Strict$/);
    const shown = await visit('/lifecycle', { cookie: `other=1; ${cookie}` });
    expect(shown.status).toBe(200);
    expect(await shown.text()).toContain('Forget the key');

    const withoutKey = new Request(`${ORIGIN}/lifecycle`, { method: 'POST', headers: { accept: BROWSER } });
    for (const forgotten of [await send(''), await closed.fetch(withoutKey)]) {
      expect(forgotten.headers.get('set-cookie')).toContain('pet-store-key=; Path=/lifecycle;');
      expect(forgotten.headers.get('set-cookie')).toContain('Max-Age=0');
    }
  });

  test('gets the reason when the key is rejected, and no cookie', async () => {
    const typed = await send('petstore_nonsense');
    expect([typed.status, typed.headers.get('set-cookie')]).toEqual([401, null]);
    expect(await typed.text()).toContain('name="key"');
    const writer = await send(await makeKey(closed, ['orders:write']));
    expect([writer.status, writer.headers.get('set-cookie')]).toEqual([403, null]);
    expect(await writer.text()).toContain('the scope read');
    const strange = await send('a b;c\r\nset-cookie: x=y');
    expect([strange.status, strange.headers.get('set-cookie')]).toEqual([401, null]);
    // Browsers would drop the cookie without a word.
    const longest = 4_096 - 'pet-store-key'.length;
    expect((await send('x'.repeat(longest))).status).toBe(401);
    const long = await send('x'.repeat(longest + 1));
    expect([long.status, long.headers.get('set-cookie')]).toEqual([413, null]);
    expect(await long.text()).toContain(`the maximum is ${longest} characters`);
    expect((await send('x'.repeat(16_384))).status).toBe(413);
  });

  test('may cut off its form: that is not logged as a failure of the service', async () => {
    const body = new ReadableStream({
      pull: (controller) => controller.error(new Error('The connection was closed.')),
    });
    const options = { method: 'POST', headers: { accept: BROWSER }, body, duplex: 'half' };
    const response = await closed.fetch(new Request(`${ORIGIN}/lifecycle`, options));
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('The body ended before it was complete.');
  });

  test('can use the cookie for pages only: not for the API, not for other media types, not besides another credential', async () => {
    const cookie = await cookieFor(await makeKey(closed, ['read']));
    for (const path of ['/pets', '/pets/1', '/metrics']) expect((await visit(path, { cookie })).status).toBe(401);
    const asked = await visit('/lifecycle', { cookie, accept: 'application/json' });
    expect(asked.status).toBe(401);
    const posted = await closed.fetch(new Request(`${ORIGIN}/lifecycle`, { method: 'POST' }));
    expect([posted.status, posted.headers.get('set-cookie')]).toEqual([405, null]);
    const query = await visit('/graphql?query={pets{totalCount}}', { cookie, accept: 'application/json' });
    expect(await query.json()).toMatchObject({ errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] });
    expect((await visit('/lifecycle', { cookie, authorization: 'Bearer nonsense' })).status).toBe(401);
  });
});

describe('a service that is open', () => {
  let open: TestApp;
  beforeAll(async () => {
    open = await startTestApp({ AUTH: 'open', PUBLIC_URL: 'https://pets.example' });
  });
  afterAll(() => open?.dispose());

  test.each(['a\r\nset-cookie: x=y', 'a; Path=/', '\u20ac', '\0'])(
    'sets no cookie for %j, which is no key',
    async (key) => {
      const response = await send(key, open);
      expect([response.status, response.headers.get('set-cookie')]).toEqual([400, null]);
      expect(await response.text()).toContain('INVALID_ARGUMENT');
    },
  );

  test('that clients reach by HTTPS has its key sent by HTTPS alone', async () => {
    expect((await send('key', open)).headers.get('set-cookie')).toMatch(/; Secure$/);
  });
});

describe('an error', () => {
  test('is a page for a browser: with the status, code, message and header fields of the API, and links', async () => {
    const asked = { accept: 'application/json' };
    for (const path of ['/PETS', '/pets/', '/docs', '/pets/x', '/nothing/at/all', '/pets/1', '/reference/none']) {
      const [page, json] = await Promise.all([visit(path), visit(path, asked)]);
      const { code, message, status } = (await json.json()) as { code: string; message: string; status: number };
      const text = await page.text();
      expect([path, page.status, page.headers.get('content-type')]).toEqual([path, status, 'text/html; charset=utf-8']);
      expect(text).toContain(`${status} <code>${code}</code>`);
      expect(text).toContain(message.replaceAll("'", '&#39;').replaceAll('"', '&#34;'));
      expect(text).not.toContain('<form');
      expect(page.headers.get('vary')).toContain('Accept');
      for (const name of ['sunset', 'deprecation', 'www-authenticate', 'link']) {
        expect([path, name, page.headers.get(name)]).toEqual([path, name, json.headers.get(name)]);
      }
    }
    expect(await (await visit('/PETS')).text()).toContain('<a href="/pets">/pets</a>');
  });

  test('shows the path of the request as text, never as HTML', async () => {
    const page = await (await visit('/"><script>alert(1)</script>')).text();
    expect(page).not.toContain('<script');
  });

  test('is JSON for other clients', async () => {
    for (const accept of ['*/*', 'application/json', 'text/html;q=0.5, application/json']) {
      const { headers } = await visit('/nothing', { accept });
      expect(headers.get('content-type')).toBe('application/json');
    }
  });

  test('is JSON for monitoring, which may accept anything', async () => {
    const { status, headers } = await visit('/metrics');
    expect([status, headers.get('content-type')]).toEqual([401, 'application/json']);
  });
});

test('the first requests of the home page have a place for the key, where reads need one', async () => {
  const commandsOf = async (app: TestApp) =>
    [...(await (await app.fetch(new Request(`${ORIGIN}/`))).text()).matchAll(/<pre>(curl [^<]*)/g)].map(
      ([, command]) => command,
    );
  const needed = await commandsOf(closed);
  expect(needed).toHaveLength(2);
  for (const command of needed) expect(command).toContain(" -H 'authorization: Bearer YOUR_KEY'");
  const open = await commandsOf(apps.open);
  expect([open.length, open.join().includes('authorization')]).toEqual([2, false]);
});

test('the page of an error that asks for a credential says where a browser can use one', async () => {
  const page = await (await visit('/pets')).text();
  expect(page).toContain(
    '<a href="/reference">reference</a> has every REST operation, to try out with your credential',
  );
});
