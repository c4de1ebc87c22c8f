import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';

/** The services without BASE_PATH, with it, and with PUBLIC_URL too. */
let open: TestApp;
let prefixed: TestApp;
let published: TestApp;

beforeAll(async () => {
  open = await startTestApp();
  prefixed = await startTestApp({ BASE_PATH: '/api/v1' });
  published = await startTestApp({ BASE_PATH: '/v2', PUBLIC_URL: 'https://shop.example:8443' });
});
afterAll(async () => {
  for (const app of [open, prefixed, published]) await app.dispose();
});

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

describe('BASE_PATH is the prefix of every path', () => {
  test('and every path is 404 without it', async () => {
    expect((await prefixed.rest('GET', '/pets')).status).toBe(200);
    for (const path of [
      '/pets',
      '/api/pets',
      '/api/v1pets',
      '/api/v10/pets',
      '/API/v1/pets',
      '/openapi.json',
      '/livez',
    ]) {
      const response = await prefixed.fetch(new Request(`http://pets.example${path}`));
      expect({ path, status: response.status }).toEqual({ path, status: 404 });
      expect(await response.json()).toMatchObject({ code: 'NOT_FOUND', status: 404 });
    }
  });

  test('and is the path of the home page, too', async () => {
    const { status, headers } = await prefixed.fetch(new Request('http://pets.example/api/v1'));
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  });

  test('and OpenAPI says it', async () => {
    expect((await prefixed.rest('GET', '/openapi.json')).body.servers).toMatchObject([{ url: '/api/v1' }]);
    expect((await open.rest('GET', '/openapi.json')).body.servers).toMatchObject([{ url: '/' }]);
  });

  test.each([
    ['/pets', '/api/v1/pets'],
    ['/', '/api/v1/'],
    ['/api/v1/pets/', '/api/v1/pets'],
    ['/docs', '/api/v1/reference'],
  ])('and the 404 of %s without it names %s', async (path, nearest) => {
    const { message } = (await (await prefixed.fetch(new Request(`http://pets.example${path}`))).json()) as Error;
    expect(message).toBe(`${path} is not a path of this service; did you mean ${nearest}?`);
  });

  test.each(['/openapi.json', '/openapi.yaml', '/schema.graphql', '/lifecycle', '/', '/livez', '/readyz', '/metrics'])(
    'that of %s, too',
    async (path) => {
      expect((await prefixed.rest('GET', path)).status).toBe(200);
    },
  );

  test('in the paths that the text of the home page names, which exist', async () => {
    const home = await (await prefixed.fetch(new Request('http://pets.example/api/v1/'))).text();
    const paths = [...home.matchAll(/<code>([^<]+)<\/code>/g)].map(([, path = '']) => path);
    expect(paths).toContain('/api/v1/livez');
    for (const path of paths) {
      const { status } = await prefixed.fetch(new Request(`http://pets.example${path}`));
      expect({ path, status }).toEqual({ path, status: 200 });
    }
  });

  test('in Location', async () => {
    const { body, headers } = await makePets(prefixed);
    expect(headers.get('location')).toBe(`http://pets.example/api/v1/pets/${body.id}`);
    const order = await prefixed.rest('POST', '/store/orders', { body: {} });
    expect(order.headers.get('location')).toBe(`http://pets.example/api/v1/store/orders/${order.body.id}`);
    const entry = await prefixed.rest('PUT', `/store/inventory/${body.id}`, { body: { quantity: 1 } });
    expect(entry.headers.get('location')).toBe(`http://pets.example/api/v1/store/inventory/${body.id}`);
  });

  test('in the link to the next page, which exists', async () => {
    const { body } = await makePets(prefixed);
    const { headers } = await prefixed.rest('GET', `/pets?limit=1&categoryId=${body.categoryId}`);
    const next = linkOf(headers, 'next');
    expect(next).toMatch(/^http:\/\/pets\.example\/api\/v1\/pets\?limit=1&categoryId=\d+&after=[\w-]+$/);
    const response = await prefixed.fetch(new Request(next));
    expect(await response.json()).toEqual([{ ...body, id: body.id + 1 }]);
  });

  test('in the links of a deprecated operation, whose targets exist', async () => {
    const { body } = await makePets(prefixed);
    const { headers } = await prefixed.rest('GET', `/pets/${body.id}`);
    expect(linkOf(headers, 'successor-version')).toBe(`http://pets.example/api/v1/pets?id=${body.id}`);
    expect(linkOf(headers, 'deprecation')).toBe('http://pets.example/api/v1/lifecycle');
    expect(linkOf(headers, 'sunset')).toBe('http://pets.example/api/v1/lifecycle');
    for (const relation of ['successor-version', 'deprecation', 'sunset']) {
      expect((await prefixed.fetch(new Request(linkOf(headers, relation)))).status).toBe(200);
    }
  });

  test('in the path that the error about an unknown path suggests', async () => {
    const { body } = await prefixed.rest('GET', '/nothing');
    expect(body.message).toContain('/api/v1/openapi.json');
  });
});

describe('PUBLIC_URL is the origin of links', () => {
  test('in Location and in the link to the next page', async () => {
    const { body, headers } = await makePets(published);
    expect(headers.get('location')).toBe(`https://shop.example:8443/v2/pets/${body.id}`);
    const list = await published.rest('GET', '/pets?limit=1');
    expect(linkOf(list.headers, 'next')).toMatch(/^https:\/\/shop\.example:8443\/v2\/pets\?limit=1&after=[\w-]+$/);
  });

  test('whatever host the request names', async () => {
    const request = new Request('http://internal:4000/v2/pets?limit=1', { headers: { host: 'evil.example' } });
    const response = await published.fetch(request);
    expect(linkOf(response.headers, 'next')).toMatch(/^https:\/\/shop\.example:8443\/v2\/pets\?/);
  });

  test('and links of a deprecated operation lead there', async () => {
    const { body, headers } = await makePets(published);
    const got = await published.rest('GET', `/pets/${body.id}`);
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
