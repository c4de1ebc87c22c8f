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

/** Creates a category with two pets, and gives the response to the first pet's creation. */
async function makePets(app: TestApp) {
  const category = await app.rest('POST', '/categories', { body: { name: 'Dogs' } });
  const body = { name: 'Rex', categoryId: category.body.id };
  const pet = await app.rest('POST', '/pets', { body });
  await app.rest('POST', '/pets', { body });
  return pet;
}

function linkOf(headers: Headers, relation: string): string {
  return new RegExp(`<([^>]+)>; rel="${relation}"`).exec(headers.get('link') ?? '')?.[1] ?? '';
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

describe('BASE_PATH is the prefix of every path', () => {
  test('and every path is 404 without it', async () => {
    expect((await chosen.rest('GET', '/pets')).status).toBe(200);
    for (const path of [
      '/pets',
      '/api/pets',
      '/api/v1pets',
      '/api/v10/pets',
      '/API/v1/pets',
      '/openapi.json',
      '/livez',
    ]) {
      const response = await chosen.fetch(new Request(`http://pets.example${path}`));
      expect({ path, status: response.status }).toEqual({ path, status: 404 });
      expect(await response.json()).toMatchObject({ code: 'NOT_FOUND', status: 404 });
    }
  });

  test('and is the path of the home page, too', async () => {
    const { status, headers } = await chosen.fetch(new Request('http://pets.example/api/v1'));
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  });

  test('and OpenAPI says it', async () => {
    expect((await chosen.rest('GET', '/openapi.json')).body.servers).toMatchObject([{ url: '/api/v1' }]);
    expect((await open.rest('GET', '/openapi.json')).body.servers).toMatchObject([{ url: '/' }]);
  });

  test.each([
    ['/pets', '/api/v1/pets'],
    ['/', '/api/v1/'],
    ['/api/v1/pets/', '/api/v1/pets'],
    ['/docs', '/api/v1/reference'],
  ])('and the 404 of %s without it names %s', async (path, nearest) => {
    const { message } = (await (await chosen.fetch(new Request(`http://pets.example${path}`))).json()) as Error;
    expect(message).toBe(`${path} is not a path of this service; did you mean ${nearest}?`);
  });

  test.each(['/openapi.json', '/openapi.yaml', '/schema.graphql', '/lifecycle', '/', '/livez', '/readyz', '/metrics'])(
    'that of %s, too',
    async (path) => {
      expect((await chosen.rest('GET', path)).status).toBe(200);
    },
  );

  test('in the paths that the text of the home page names, which exist', async () => {
    const home = await (await chosen.fetch(new Request('http://pets.example/api/v1/'))).text();
    const paths = [...home.matchAll(/<code>([^<]+)<\/code>/g)].map(([, path = '']) => path);
    expect(paths).toContain('/api/v1/livez');
    for (const path of paths) {
      const { status } = await chosen.fetch(new Request(`http://pets.example${path}`));
      expect({ path, status }).toEqual({ path, status: 200 });
    }
  });

  test('in Location', async () => {
    const { body, headers } = await makePets(chosen);
    expect(headers.get('location')).toBe(`http://pets.example/api/v1/pets/${body.id}`);
    const order = await chosen.rest('POST', '/store/orders', { body: {} });
    expect(order.headers.get('location')).toBe(`http://pets.example/api/v1/store/orders/${order.body.id}`);
    const entry = await chosen.rest('PUT', `/store/inventory/${body.id}`, { body: { quantity: 1 } });
    expect(entry.headers.get('location')).toBe(`http://pets.example/api/v1/store/inventory/${body.id}`);
  });

  test('in the link to the next page, which exists', async () => {
    const { body } = await makePets(chosen);
    const { headers } = await chosen.rest('GET', `/pets?limit=1&categoryId=${body.categoryId}`);
    const next = linkOf(headers, 'next');
    expect(next).toMatch(/^http:\/\/pets\.example\/api\/v1\/pets\?limit=1&categoryId=\d+&after=[\w-]+$/);
    const response = await chosen.fetch(new Request(next));
    expect(await response.json()).toEqual([{ ...body, id: body.id + 1 }]);
  });

  test('in the links of a deprecated operation, whose targets exist', async () => {
    const { body } = await makePets(chosen);
    const { headers } = await chosen.rest('GET', `/pets/${body.id}`);
    expect(linkOf(headers, 'successor-version')).toBe(`http://pets.example/api/v1/pets?id=${body.id}`);
    expect(linkOf(headers, 'deprecation')).toBe('http://pets.example/api/v1/lifecycle');
    expect(linkOf(headers, 'sunset')).toBe('http://pets.example/api/v1/lifecycle');
    for (const relation of ['successor-version', 'deprecation', 'sunset']) {
      expect((await chosen.fetch(new Request(linkOf(headers, relation)))).status).toBe(200);
    }
  });

  test('in the path that the error about an unknown path suggests', async () => {
    const { body } = await chosen.rest('GET', '/nothing');
    expect(body.message).toContain('/api/v1/openapi.json');
  });
});

describe('PUBLIC_URL is the origin of links', () => {
  test('in Location and in the link to the next page', async () => {
    const { body, headers } = await makePets(closed);
    expect(headers.get('location')).toBe(`https://shop.example:8443/v2/pets/${body.id}`);
    const list = await closed.rest('GET', '/pets?limit=1');
    expect(linkOf(list.headers, 'next')).toMatch(/^https:\/\/shop\.example:8443\/v2\/pets\?limit=1&after=[\w-]+$/);
  });

  test('whatever host the request names', async () => {
    const request = new Request('http://internal:4000/v2/pets?limit=1', { headers: { host: 'evil.example' } });
    const response = await closed.fetch(request);
    expect(linkOf(response.headers, 'next')).toMatch(/^https:\/\/shop\.example:8443\/v2\/pets\?/);
  });

  test('and links of a deprecated operation lead there', async () => {
    const { body, headers } = await makePets(closed);
    const got = await closed.rest('GET', `/pets/${body.id}`);
    const successor = new URL(linkOf(got.headers, 'successor-version'), headers.get('location') ?? '');
    expect(successor.href).toBe(`https://shop.example:8443/v2/pets?id=${body.id}`);
  });
});

describe('without PUBLIC_URL, links use the Host of the request', () => {
  test.each(['shop.example', 'shop.example:', 'localhost:4000', '127.0.0.1:4000', '[::1]:4000'])('%s', async (host) => {
    const response = await open.fetch(
      new Request('http://ignored.example/categories', {
        method: 'POST',
        headers: { host, 'content-type': 'application/json' },
        body: '{"name":"Dogs"}',
      }),
    );
    const { id } = await response.json();
    expect(response.headers.get('location')).toBe(`http://${host}/categories/${id}`);
  });

  test.each(['evil.example/path', 'evil.example>; rel="next"', 'a b', '"', 'user@host', 'host:port'])(
    'but not an invalid host: %s',
    async (host) => {
      const response = await open.fetch(new Request('http://pets.example/pets', { headers: { host } }));
      expect(response.status).toBe(400);
      const message = expect.stringContaining('Host');
      expect(await response.json()).toEqual({ code: 'INVALID_ARGUMENT', message, status: 400 });
    },
  );
});
