import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { openApi } from '../../support/contract.ts';

const EXPOSED = ['Accept-Patch', 'Allow', 'API-Stability', 'Deprecation', 'Link', 'Location', 'Sunset', 'Warning'];
const PREFLIGHT = { 'access-control-request-method': 'PATCH', 'access-control-request-headers': 'content-type' };

/** The services with each setting of the origins whose pages may read responses. */
let open: TestApp;
let chosen: TestApp;
let closed: TestApp;

beforeAll(async () => {
  open = await startTestApp();
  chosen = await startTestApp({
    BASE_PATH: '/api/v1',
    CORS_ORIGINS: ['https://shop.example', 'http://localhost:3000'],
  });
  closed = await startTestApp({ BASE_PATH: '/v2', PUBLIC_URL: 'https://shop.example:8443', CORS_ORIGINS: [] });
});
afterAll(async () => {
  for (const app of [open, chosen, closed]) await app.dispose();
});

function corsOf(headers: Headers): string[] {
  return [...headers].map(([name]) => name).filter((name) => name.startsWith('access-control-'));
}

function list(headers: Headers, name: string): string[] {
  return (headers.get(name) ?? '').split(/\s*,\s*/).map((item) => item.toLowerCase());
}

describe('a page of another origin', () => {
  test.each(['/pets', '/pets/0', '/nothing', '/pets?bogus=1'])(
    'may read any response of %s by default',
    async (path) => {
      const { headers } = await open.rest('GET', path, { headers: { origin: 'https://anywhere.example' } });
      expect(headers.get('access-control-allow-origin')).toBe('*');
      expect(headers.has('access-control-allow-credentials')).toBe(false);
    },
  );

  test('is named in `Vary`, and the list of readable header fields is only for other origins', async () => {
    const { headers } = await open.rest('GET', '/pets');
    expect(corsOf(headers)).toEqual([]);
    expect(list(headers, 'vary')).toContain('origin');
  });

  test('may read all header fields of this service', async () => {
    const { headers } = await open.rest('GET', '/pets', { headers: { origin: 'https://anywhere.example' } });
    const exposed = list(headers, 'access-control-expose-headers');
    for (const name of [...EXPOSED, 'X-Request-Id', 'Retry-After', 'Traceparent'])
      expect(exposed).toContain(name.toLowerCase());
  });

  test.each(['/pets', '/pets/1', '/store/inventory/1', '/graphql'])(
    'may send a preflight request for %s',
    async (path) => {
      const headers = { origin: 'https://anywhere.example', ...PREFLIGHT };
      const answer = await open.rest('OPTIONS', path, { headers });
      expect({ status: answer.status, text: answer.text }).toEqual({ status: 204, text: '' });
      expect(answer.headers.get('access-control-allow-origin')).toBe('*');
      const methods = list(answer.headers, 'access-control-allow-methods');
      for (const method of ['get', 'post', 'put', 'patch', 'delete']) expect(methods).toContain(method);
      const allowed = list(answer.headers, 'access-control-allow-headers');
      for (const name of ['content-type', 'accept', 'x-request-id', 'traceparent']) expect(allowed).toContain(name);
      expect(Number(answer.headers.get('access-control-max-age'))).toBeGreaterThan(0);
    },
  );

  test('may send the fields that Apollo Client sends for its clientAwareness', async () => {
    const headers = { origin: 'https://anywhere.example', ...PREFLIGHT };
    const allowed = list((await open.rest('OPTIONS', '/graphql', { headers })).headers, 'access-control-allow-headers');
    expect(allowed).toEqual(expect.arrayContaining(['apollographql-client-name', 'apollographql-client-version']));
  });
});

test('a page of another origin may send and read all header fields that the contract describes', async () => {
  const { parameters, headers } = openApi.components;
  const origin = 'https://anywhere.example';
  const preflight = await open.rest('OPTIONS', '/pets', { headers: { origin, ...PREFLIGHT } });
  const allowed = list(preflight.headers, 'access-control-allow-headers');
  for (const { name } of Object.values(parameters)) expect(allowed).toContain(name.toLowerCase());
  const answer = await open.rest('GET', '/pets', { headers: { origin } });
  const exposed = list(answer.headers, 'access-control-expose-headers');
  for (const name of Object.keys(headers)) expect(exposed).toContain(name.toLowerCase());
});

describe('when CORS_ORIGINS is a list', () => {
  test.each(['https://shop.example', 'http://localhost:3000'])(
    '%s is echoed, and Vary names Origin',
    async (origin) => {
      for (const path of ['/pets', '/pets/0', '/nothing']) {
        const { headers } = await chosen.rest('GET', path, { headers: { origin } });
        expect(headers.get('access-control-allow-origin')).toBe(origin);
        expect(list(headers, 'vary')).toContain('origin');
        expect(list(headers, 'access-control-expose-headers')).toContain('location');
      }
      const preflight = await chosen.rest('OPTIONS', '/pets', { headers: { origin, ...PREFLIGHT } });
      expect(preflight.status).toBe(204);
      expect(preflight.headers.get('access-control-allow-origin')).toBe(origin);
      expect(list(preflight.headers, 'access-control-allow-methods')).toContain('patch');
      expect(list(preflight.headers, 'vary')).toContain('origin');
    },
  );

  test.each([
    'https://evil.example',
    'http://shop.example',
    'https://shop.example:444',
    'https://shop.example.evil.example',
    'https://SHOP.example/',
    'null',
    '*',
  ])('%s gets no CORS fields, but Vary names Origin', async (origin) => {
    for (const path of ['/pets', '/nothing']) {
      const { status, headers } = await chosen.rest('GET', path, { headers: { origin } });
      expect(status).toBe(path === '/pets' ? 200 : 404);
      expect(corsOf(headers)).toEqual([]);
      expect(list(headers, 'vary')).toContain('origin');
    }
    const preflight = await chosen.rest('OPTIONS', '/pets', { headers: { origin, ...PREFLIGHT } });
    expect(preflight.headers.has('access-control-allow-origin')).toBe(false);
  });

  test('a request without Origin is answered, and Vary names Origin', async () => {
    const { status, headers } = await chosen.rest('GET', '/pets');
    expect(status).toBe(200);
    expect(corsOf(headers)).toEqual([]);
    expect(list(headers, 'vary')).toContain('origin');
  });

  test('an empty list lets no page of another origin read anything', async () => {
    const { status, headers } = await closed.rest('GET', '/pets', { headers: { origin: 'https://shop.example' } });
    expect(status).toBe(200);
    expect(corsOf(headers)).toEqual([]);
  });
});

describe('a change without a body, which a form of any page can send,', () => {
  const webhook = { url: 'https://shop.example/hooks' };
  const rotate = async (app: TestApp, headers: Readonly<Record<string, string>>, body?: string) => {
    const { id } = (await app.rest('POST', '/webhooks', { body: webhook })).body;
    const answer = await app.rest('POST', `/webhooks/${id}/secret`, { headers, ...(body !== undefined && { body }) });
    const { version } = (await app.graphql('query ($id: Int64!) { webhook(webhookId: $id) { version } }', { id })).data
      .webhook;
    return { ...answer, isChanged: version > 1 };
  };

  test.each(['https://evil.example', 'null', 'https://shop.example.evil.example', 'http://pets.example:81'])(
    'is rejected if a page of the origin %s sends it, and changes nothing',
    async (origin) => {
      for (const app of [chosen, closed]) {
        const { status, body, isChanged } = await rotate(app, { origin });
        expect([status, body.code, isChanged]).toEqual([403, 'FORBIDDEN', false]);
        expect(body.message).toBe(
          `Pages of the origin ${origin} may not send this request: CORS_ORIGINS does not list it.`,
        );
      }
    },
  );

  test('is accepted without Origin, and from pages of this service, of its PUBLIC_URL and of CORS_ORIGINS', async () => {
    const accepted: [TestApp, Record<string, string>][] = [
      [closed, {}],
      [closed, { origin: 'https://shop.example:8443' }],
      [closed, { origin: 'http://localhost:4000', host: 'localhost:4000' }],
      // Behind a proxy that ends TLS.
      [chosen, { origin: 'https://pets.example' }],
      [chosen, { origin: 'http://localhost:3000' }],
      [open, { origin: 'https://anywhere.example' }],
    ];
    for (const [app, headers] of accepted) {
      const { status, isChanged } = await rotate(app, headers);
      expect([headers, status, isChanged]).toEqual([headers, 200, true]);
    }
  });

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'application/json'])(
    'is rejected with a body of the type %s',
    async (type) => {
      const { status, body, isChanged } = await rotate(open, { 'content-type': type }, '{}');
      expect([status, isChanged]).toEqual([400, false]);
      expect(body).toEqual({
        code: 'INVALID_ARGUMENT',
        message: 'This operation takes no body; omit it.',
        status: 400,
      });
    },
  );
});
