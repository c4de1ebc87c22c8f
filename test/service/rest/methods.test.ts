import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { listed, makeRows, PATHS } from './examples.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.dispose());

function allowed(methods: readonly string[]): string[] {
  return [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].toSorted();
}

describe('HEAD is GET without the body', () => {
  test.each(PATHS.filter(({ methods }) => methods.includes('GET')).map(({ path }) => path))('of %s', async (path) => {
    const { petId, categoryId, orderId } = await makeRows(app);
    // Publishes all events and stores all uses, which could otherwise be in the second response alone.
    await app.flush();
    const own = path.replace('{petId}', `${petId}`).replace('{categoryId}', `${categoryId}`);
    const address = own.replace('{orderId}', `${orderId}`);
    for (const [query, headers] of [
      ['', {}],
      ['?limit=1', {}],
      ['?bogus=1', {}],
      ['?bogus=1', { accept: 'application/problem+json' }],
      ['', { accept: 'text/csv' }],
    ] as const) {
      const got = await app.rest('GET', address + query, { headers });
      const head = await app.rest('HEAD', address + query, { headers });
      expect({ status: head.status, text: head.text }).toEqual({ status: got.status, text: '' });
      expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(got.text)));
      expect(fieldsOf(head.headers)).toEqual(fieldsOf(got.headers));
    }
  });

  test('of a missing row', async () => {
    for (const address of ['/pets/987654', '/categories/0', '/store/orders/0', '/store/inventory/0', '/pets/abc']) {
      const got = await app.rest('GET', address);
      const head = await app.rest('HEAD', address);
      expect({ status: head.status, text: head.text }).toEqual({ status: got.status, text: '' });
      expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(got.text)));
    }
  });

  function fieldsOf(headers: Headers): object {
    return Object.fromEntries([...headers].filter(([name]) => name !== 'x-request-id' && name !== 'content-length'));
  }
});

describe.each(PATHS.map(({ path, ...rest }) => [path, rest] as const))(
  'the methods of %s',
  (_, { address, methods }) => {
    test('are in the Allow field of OPTIONS, with Accept-Patch if PATCH is one', async () => {
      const { status, headers, text } = await app.rest('OPTIONS', address);
      expect({ status, text }).toEqual({ status: 204, text: '' });
      // RFC 9110, section 8.6.
      expect(headers.has('content-length')).toBe(false);
      expect(listed(headers, 'allow')).toEqual(allowed(methods));
      expectAcceptPatch(headers);
    });

    test.each(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND', 'get-pet'])(
      'are the only ones: %s is in Allow, or 405',
      async (method) => {
        const { status, headers, body } = await app.rest(method, address);
        if (allowed(methods).includes(method)) {
          expect(status).not.toBe(405);
          return;
        }
        expect(status).toBe(405);
        expect(listed(headers, 'allow')).toEqual(allowed(methods));
        expectAcceptPatch(headers);
        const message = expect.stringContaining(method);
        expect(body).toEqual(method === 'HEAD' ? undefined : { code: 'METHOD_NOT_ALLOWED', message, status: 405 });
      },
    );

    function expectAcceptPatch(headers: Headers): void {
      const types = methods.includes('PATCH') ? ['application/json', 'application/merge-patch+json'] : [''];
      expect(listed(headers, 'accept-patch')).toEqual(types);
    }
  },
);

describe('an unknown path', () => {
  test.each([
    '/nothing',
    '/store',
    '/store/',
    '/Pets',
    '/pet',
    '//pets',
    '/pets/1/owner',
    '/pets/1/2',
    '/store/orders/1/items',
    '/store/pets',
    '/orders',
    '/inventory/1',
    '/%70ets%00',
    '/pets%2F1',
    '/__proto__',
    '/constructor',
  ])('%s is 404 with the Error object, whatever the method', async (path) => {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      const { status, headers, body } = await app.rest(method, path, method === 'GET' ? {} : { body: {} });
      expect(status).toBe(404);
      expect(headers.get('content-type')).toBe('application/json');
      expect(body).toEqual({ code: 'NOT_FOUND', message: expect.stringContaining(path), status: 404 });
    }
  });

  test.each([
    ['/pets/', '/pets'],
    ['/PETS', '/pets'],
    ['/docs', '/reference'],
    ['/graphiql', '/graphql'],
    // The playground has such a file too, at an address that changes.
    ['/start.js', '/reference/start.js'],
  ])('%s: the message names the nearest path, %s', async (path, nearest) => {
    const { body } = await app.rest('GET', path);
    expect(body.message).toBe(`${path} is not a path of this service; did you mean ${nearest}?`);
  });

  test('is also 404 for HEAD, without a body', async () => {
    const { status, text } = await app.rest('HEAD', '/nothing');
    expect({ status, text }).toEqual({ status: 404, text: '' });
  });
});
