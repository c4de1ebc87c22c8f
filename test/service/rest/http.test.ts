import { STATUS_CODES } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RestOptions, startTestApp, type TestApp } from '../../support/app.ts';
import { openApi } from '../../support/contract.ts';

/** Reason phrases of RFC 9110 that differ from Node's. */
const RFC_9110: Readonly<Record<number, string>> = { 413: 'Content Too Large', 422: 'Unprocessable Content' };

/** An operation, with a request that succeeds on the rows of `makeRows`. */
interface Example {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly body?: unknown;
  readonly stability?: 'experimental' | 'beta' | 'deprecated';
}

interface Rows {
  readonly petId: number;
  readonly uncounted: number;
  readonly categoryId: number;
  readonly empty: number;
  readonly orderId: number;
}

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.dispose());

async function makeRows(): Promise<Rows> {
  const create = async (path: string, body: object): Promise<number> =>
    (await app.rest('POST', path, { body })).body.id;
  const categoryId = await create('/categories', { name: 'Dogs' });
  const petId = await create('/pets', { name: 'Rex', categoryId });
  await app.rest('PUT', `/store/inventory/${petId}`, { body: { quantity: 5 } });
  return {
    petId,
    uncounted: await create('/pets', { name: 'Bello', categoryId }),
    categoryId,
    empty: await create('/categories', { name: 'Cats' }),
    orderId: await create('/store/orders', { petId }),
  };
}

/** Every operation of the service, in an order in which each finds the rows that it needs. */
function examples({ petId, uncounted, categoryId, empty, orderId }: Rows): Example[] {
  const pet = { name: 'Rex', categoryId };
  const [pets, categories, orders, inventory] = ['/pets', '/categories', '/store/orders', '/store/inventory'];
  return [
    { operationId: 'listPets', method: 'GET', path: pets, status: 200 },
    { operationId: 'createPet', method: 'POST', path: pets, status: 201, body: pet },
    { operationId: 'getPet', method: 'GET', path: `${pets}/${petId}`, status: 200, stability: 'deprecated' },
    { operationId: 'replacePet', method: 'PUT', path: `${pets}/${petId}`, status: 200, body: pet },
    { operationId: 'updatePet', method: 'PATCH', path: `${pets}/${petId}`, status: 200, body: {}, stability: 'beta' },
    { operationId: 'listCategories', method: 'GET', path: categories, status: 200 },
    { operationId: 'createCategory', method: 'POST', path: categories, status: 201, body: { name: 'Fish' } },
    { operationId: 'getCategory', method: 'GET', path: `${categories}/${empty}`, status: 200 },
    { operationId: 'replaceCategory', method: 'PUT', path: `${categories}/${empty}`, status: 200, body: { name: 'C' } },
    {
      operationId: 'updateCategory',
      method: 'PATCH',
      path: `${categories}/${empty}`,
      status: 200,
      body: {},
      stability: 'beta',
    },
    { operationId: 'deleteCategory', method: 'DELETE', path: `${categories}/${empty}`, status: 204 },
    { operationId: 'listOrders', method: 'GET', path: orders, status: 200 },
    { operationId: 'placeOrder', method: 'POST', path: orders, status: 201, body: {} },
    { operationId: 'getOrder', method: 'GET', path: `${orders}/${orderId}`, status: 200 },
    {
      operationId: 'updateOrder',
      method: 'PATCH',
      path: `${orders}/${orderId}`,
      status: 200,
      body: { quantity: 2 },
      stability: 'beta',
    },
    { operationId: 'cancelOrder', method: 'DELETE', path: `${orders}/${orderId}`, status: 204 },
    { operationId: 'listInventory', method: 'GET', path: inventory, status: 200 },
    { operationId: 'getInventoryItem', method: 'GET', path: `${inventory}/${petId}`, status: 200 },
    {
      operationId: 'replaceStock',
      method: 'PUT',
      path: `${inventory}/${uncounted}`,
      status: 201,
      body: { quantity: 5 },
      stability: 'beta',
    },
    {
      operationId: 'stopTracking',
      method: 'DELETE',
      path: `${inventory}/${petId}`,
      status: 204,
      stability: 'experimental',
    },
    { operationId: 'deletePet', method: 'DELETE', path: `${pets}/${petId}`, status: 204 },
    { operationId: 'listLifecycle', method: 'GET', path: '/lifecycle', status: 200, stability: 'experimental' },
  ];
}

const sample = examples({ petId: 0, uncounted: 0, categoryId: 0, empty: 0, orderId: 0 });
const LIFECYCLE = ['api-stability', 'deprecation', 'sunset', 'link', 'warning'];
const PATHS = Object.entries(openApi.paths).map(([path, operations]) => ({
  path,
  address: path.replaceAll(/\{\w+\}/g, '1'),
  methods: Object.keys(operations)
    .map((method) => method.toUpperCase())
    .filter((method) => /^(GET|POST|PUT|PATCH|DELETE)$/.test(method)),
}));

function allowed(methods: readonly string[]): string[] {
  return [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].toSorted();
}

function listed(headers: Headers, name: string): string[] {
  return (headers.get(name) ?? '').split(/\s*,\s*/).toSorted();
}

/** The header fields about the lifecycle. */
function lifecycleOf(headers: Headers): object {
  return Object.fromEntries(LIFECYCLE.flatMap((name) => (headers.has(name) ? [[name, headers.get(name)]] : [])));
}

/** The header fields of every response of getPet, whatever its status. */
function deprecation(petId?: number | bigint): object {
  const successor = petId === undefined ? '/pets' : `/pets?id=${petId}`;
  return {
    'api-stability': 'deprecated',
    deprecation: '@1782864000',
    sunset: 'Fri, 31 Dec 2027 23:59:59 GMT',
    link:
      `<http://pets.example${successor}>; rel="successor-version", ` +
      '<http://pets.example/lifecycle>; rel="deprecation"; type="text/html", <http://pets.example/lifecycle>; rel="sunset"',
    warning: expect.stringMatching(/^299 - "[^"]*2027-12-31[^"]*"$/),
  };
}

describe('every operation', () => {
  test('of the contract has an example here', () => {
    const described = Object.values(openApi.paths).flatMap((operations) =>
      Object.values(operations).flatMap(({ operationId }) => operationId ?? []),
    );
    expect(sample.map(({ operationId }) => operationId).toSorted()).toEqual(described.toSorted());
  });

  test('succeeds with its own status, as JSON or without a body', async () => {
    for (const { operationId, method, path, status, body } of examples(await makeRows())) {
      const answer = await app.rest(method, path, body === undefined ? {} : { body });
      const type = answer.headers.get('content-type');
      expect({ operationId, status: answer.status, type }).toEqual({
        operationId,
        status,
        type: status === 204 ? null : 'application/json',
      });
      expect(answer.text === '').toBe(status === 204);
      expect(answer.headers.has('location')).toBe(status === 201);
    }
  });

  test('that answers 201 has the URL of the new row in Location', async () => {
    for (const { method, path, status, body } of examples(await makeRows())) {
      if (status !== 201) continue;
      const made = await app.rest(method, path, { body });
      const location = made.headers.get('location') ?? '';
      expect(location.startsWith('http://pets.example/')).toBe(true);
      expect((await app.rest('GET', new URL(location).pathname)).body).toEqual(made.body);
    }
  });

  test('states its stability when it succeeds: beta, experimental, deprecated, or nothing', async () => {
    for (const { operationId, method, path, body, stability } of examples(await makeRows())) {
      const { headers } = await app.rest(method, path, body === undefined ? {} : { body });
      expect({ operationId, stability: headers.get('api-stability') ?? undefined }).toEqual({ operationId, stability });
      if (stability !== 'deprecated') {
        for (const name of ['deprecation', 'sunset', 'warning']) expect(headers.has(name)).toBe(false);
      }
    }
  });

  test.each([
    ['an unknown parameter', '?bogus=1', {}, 400],
    ['no acceptable media type', '', { headers: { accept: 'image/png' } }, 406],
  ] as const)('also states its stability when it fails: %s', async (_, query, options, status) => {
    for (const { operationId, method, path, stability } of sample) {
      const answer = await app.rest(method, path + query, options);
      expect({ operationId, status: answer.status }).toEqual({ operationId, status });
      expect({ operationId, ...lifecycleOf(answer.headers) }).toEqual({
        operationId,
        ...(stability === 'deprecated' ? deprecation(0) : stability && { 'api-stability': stability }),
      });
    }
  });

  test('also states its stability with 404, 409, 413, 415 and 422', async () => {
    const { petId, orderId } = await makeRows();
    const tooLarge = 'x'.repeat(2 ** 21);
    for (const [status, method, path, options, stability] of [
      [404, 'PATCH', '/pets/0', { body: {} }, 'beta'],
      [413, 'PATCH', `/pets/${petId}`, { body: tooLarge }, 'beta'],
      [415, 'PATCH', `/pets/${petId}`, { body: {}, headers: { 'content-type': 'text/plain' } }, 'beta'],
      [422, 'PATCH', `/pets/${petId}`, { body: { categoryId: 0 } }, 'beta'],
      [409, 'PATCH', `/store/orders/${orderId}`, { body: { quantity: 99 } }, 'beta'],
      [404, 'PUT', '/store/inventory/0', { body: { quantity: 1 } }, 'beta'],
      [400, 'PUT', `/store/inventory/${petId}`, { body: '' }, 'beta'],
      [404, 'DELETE', '/store/inventory/0', {}, 'experimental'],
      [400, 'DELETE', '/store/inventory/x', {}, 'experimental'],
      [409, 'DELETE', `/pets/${petId}`, {}, undefined],
      [404, 'GET', '/store/orders/0', {}, undefined],
      [422, 'POST', '/pets', { body: {} }, undefined],
    ] as [number, string, string, RestOptions, string | undefined][]) {
      const answer = await app.rest(method, path, options);
      expect({ method, path, status: answer.status }).toEqual({ method, path, status });
      expect({ method, path, ...lifecycleOf(answer.headers) }).toEqual({
        method,
        path,
        ...(stability && { 'api-stability': stability }),
      });
    }
  });
});

describe('GET /pets/{petId} states that it is deprecated', () => {
  test('with 200, to GET and to HEAD', async () => {
    const { petId } = await makeRows();
    for (const method of ['GET', 'HEAD']) {
      const { status, headers } = await app.rest(method, `/pets/${petId}`);
      expect(status).toBe(200);
      expect(lifecycleOf(headers)).toEqual(deprecation(petId));
    }
  });

  test('with 404, 400 and 406, to GET and to HEAD', async () => {
    for (const method of ['GET', 'HEAD']) {
      for (const [status, path, successorId, headers] of [
        [404, '/pets/987654', 987654],
        [404, '/pets/-1', -1],
        [404, '/pets/9223372036854775807', 9223372036854775807n],
        [400, '/pets/abc', undefined],
        [400, '/pets/1%2F2', undefined],
        [400, '/pets/%zz', undefined],
        [400, '/pets/7?verbose=true', 7],
        [406, '/pets/7', 7, { accept: 'text/csv' }],
      ] as const) {
        const answer = await app.rest(method, path, headers === undefined ? {} : { headers });
        expect(answer.status).toBe(status);
        expect(lifecycleOf(answer.headers)).toEqual(deprecation(successorId));
      }
    }
  });

  test('and its successor link leads to the same pet', async () => {
    const { petId } = await makeRows();
    const { headers, body } = await app.rest('GET', `/pets/${petId}`);
    const successor =
      /<http:\/\/pets\.example([^>]+)>; rel="successor-version"/.exec(headers.get('link') ?? '')?.[1] ?? '';
    expect((await app.rest('GET', successor)).body).toEqual([body]);
  });

  test('and its deprecation link leads to its page', async () => {
    const { headers } = await app.rest('GET', '/pets/1');
    const page = /<http:\/\/pets\.example([^>]+)>; rel="deprecation"/.exec(headers.get('link') ?? '')?.[1] ?? '';
    const found = await app.fetch(new Request(`http://pets.example${page}`, { headers: { accept: 'text/html' } }));
    expect([found.status, found.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(await found.text()).toContain('2027-12-31');
  });

  test('but not for the other methods of its path', async () => {
    const { petId, categoryId } = await makeRows();
    const put = await app.rest('PUT', `/pets/${petId}`, { body: { name: 'Rex', categoryId } });
    expect(lifecycleOf(put.headers)).toEqual({});
    expect(lifecycleOf((await app.rest('OPTIONS', `/pets/${petId}`)).headers)).toEqual({});
    expect(lifecycleOf((await app.rest('POST', `/pets/${petId}`)).headers)).toEqual({});
  });
});

describe('HEAD is GET without the body', () => {
  test.each(PATHS.filter(({ methods }) => methods.includes('GET')).map(({ path }) => path))('of %s', async (path) => {
    const { petId, categoryId, orderId } = await makeRows();
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
        expect(body).toEqual({ code: 'METHOD_NOT_ALLOWED', message: expect.stringContaining(method), status: 405 });
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
  ])('%s: the message names the nearest path, %s', async (path, nearest) => {
    const { body } = await app.rest('GET', path);
    expect(body.message).toBe(`${path} is not a path of this service; did you mean ${nearest}?`);
  });

  test('is also 404 for HEAD, without a body', async () => {
    const { status, text } = await app.rest('HEAD', '/nothing');
    expect({ status, text }).toEqual({ status: 404, text: '' });
  });
});

describe('an error', () => {
  const failures: [code: string, status: number, method: string, path: string, options: RestOptions][] = [
    ['MALFORMED_JSON', 400, 'POST', '/pets', { body: '{' }],
    ['INVALID_ARGUMENT', 400, 'GET', '/pets/abc', {}],
    ['NOT_FOUND', 404, 'GET', '/pets/0', {}],
    ['NOT_FOUND', 404, 'GET', '/nothing', {}],
    ['METHOD_NOT_ALLOWED', 405, 'DELETE', '/pets', {}],
    ['PAYLOAD_TOO_LARGE', 413, 'POST', '/pets', { body: ' '.repeat(2 ** 21) }],
    ['UNSUPPORTED_MEDIA_TYPE', 415, 'POST', '/pets', { body: '{}', headers: { 'content-type': 'text/plain' } }],
    ['VALIDATION_FAILED', 422, 'POST', '/pets', { body: {} }],
    ['UNKNOWN_REFERENCE', 422, 'POST', '/pets', { body: { name: 'Rex', categoryId: 0 } }],
  ];

  test.each(failures)('%s is an Error object: code, message and status, and nothing else', async (...failure) => {
    const [code, status, method, path, options] = failure;
    const answer = await app.rest(method, path, options);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(answer.body).toEqual({ code, message: expect.stringMatching(/^\S.+\.$/s), status });
  });

  test.each(failures)('%s is a problem (RFC 9457) for a client that accepts it', async (...failure) => {
    const [code, status, method, path, options] = failure;
    const { body: error } = await app.rest(method, path, options);
    for (const accept of [
      'application/problem+json',
      'application/json, application/problem+json',
      'application/problem+json;q=0.5, application/json',
      'text/html, application/problem+json',
    ]) {
      const answer = await app.rest(method, path, { ...options, headers: { ...options.headers, accept } });
      expect(answer.status).toBe(status);
      expect(answer.headers.get('content-type')).toBe('application/problem+json');
      const { errors, ...problem } = answer.body;
      const title = RFC_9110[status] ?? STATUS_CODES[status];
      expect(problem).toEqual({ type: 'about:blank', title, status, detail: error.message, code });
      expect(errors !== undefined).toBe(code === 'VALIDATION_FAILED');
    }
  });

  test.each([undefined, '*/*', 'application/*', 'application/json', 'application/json, application/problem+json;q=0'])(
    'is an Error object for a client that accepts %s',
    async (accept) => {
      const { headers } = await app.rest('GET', '/pets/0', accept === undefined ? {} : { headers: { accept } });
      expect(headers.get('content-type')).toBe('application/json');
    },
  );

  test('about a body points at every invalid value', async () => {
    const { categoryId } = await makeRows();
    const options = { headers: { accept: 'application/problem+json' } };
    const many = await app.rest('POST', '/pets', {
      ...options,
      body: { name: '', categoryId: 'one', status: 'lost', 'a/b~c': 1 },
    });
    expect(many.body.errors.map(({ pointer }: { pointer: string }) => pointer).toSorted()).toEqual([
      '/a~1b~0c',
      '/categoryId',
      '/name',
      '/status',
    ]);
    for (const { message } of many.body.errors) expect(message).toMatch(/\S/);
    expect(many.body.detail).toMatch(/name.*categoryId.*status/s);

    const missing = await app.rest('POST', '/pets', { ...options, body: { name: 'Rex' } });
    expect(missing.body.errors).toEqual([{ pointer: '/categoryId', message: 'is required' }]);
    const whole = await app.rest('POST', '/pets', { ...options, body: [] });
    expect(whole.body.errors).toEqual([{ pointer: '', message: expect.stringContaining('must be an object') }]);
    const readOnly = await app.rest('POST', '/pets', { ...options, body: { id: 1, name: 'Rex', categoryId } });
    expect(readOnly.body.errors).toEqual([{ pointer: '/id', message: expect.stringContaining('read-only') }]);
  });

  test.each(['/pets?limit=0', '/pets?bogus=1', '/pets?status=lost', '/pets?id=x', '/store/orders?after=x'])(
    'about the URL %s has no pointer into a body',
    async (path) => {
      const { body } = await app.rest('GET', path, { headers: { accept: 'application/problem+json' } });
      expect(body.code).toBe('INVALID_ARGUMENT');
      expect(body).not.toHaveProperty('errors');
    },
  );
});

/** The sources that a page may use: this service, and data inside the page. */
const OWN = /^('self'|'none'|data:|blob:)$/;
const OWN_SCRIPT = /^('self'|'sha256-[\w+/]{43}=')$/;
const OWN_STYLE = /^('self'|'sha256-[\w+/]{43}='|'unsafe-inline')$/;

test('no response can be sniffed as another type, and no page is framed or loads from other origins', async () => {
  for (const path of ['/', '/lifecycle', '/reference', '/graphql', '/pets', '/nothing', '/livez', '/openapi.json']) {
    const { headers } = await app.fetch(
      new Request(`http://pets.example${path}`, { headers: { accept: 'text/html' } }),
    );
    expect([path, headers.get('x-content-type-options')]).toEqual([path, 'nosniff']);
    if (!headers.get('content-type')?.startsWith('text/html')) continue;
    const policy = headers.get('content-security-policy')?.split('; ');
    expect(policy).toEqual(expect.arrayContaining(["default-src 'none'", "base-uri 'none'", "frame-ancestors 'none'"]));
    for (const directive of policy ?? []) {
      const [name, ...sources] = directive.split(' ');
      const own = name === 'style-src' ? OWN_STYLE : name === 'script-src' ? OWN_SCRIPT : OWN;
      for (const source of sources) expect([path, name, source]).toEqual([path, name, expect.stringMatching(own)]);
    }
  }
});

describe('Accept', () => {
  const accepted = [
    '*/*',
    'application/*',
    'application/json',
    'APPLICATION/JSON',
    'application/json; q=0.1, text/html',
    'text/html, */*;q=0.1',
    'application/problem+json',
    'application/json;charset=utf-8',
    '',
  ];
  test.each(accepted)('"%s" gets JSON', async (accept) => {
    const { status, headers } = await app.rest('GET', '/pets', { headers: { accept } });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/json');
  });

  test.each([
    'text/html',
    'image/*',
    'application/xml',
    'application/json;q=0',
    'application/json; q=0',
    'text/html, application/json;q=0.0',
  ])('"%s" is 406, and nothing is changed', async (accept) => {
    const rows = await makeRows();
    for (const { operationId, method, path, body } of examples(rows)) {
      // The one resource that is a page, too.
      // This resource is also a page.
      const answer = await app.rest(method, path, { headers: { accept }, ...(body !== undefined && { body }) });
      expect({ operationId, status: answer.status }).toEqual({ operationId, status: 406 });
      // A browser gets an error page.
      if (accept.includes('html')) {
        expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
        continue;
      }
      expect(answer.headers.get('content-type')).toBe('application/json');
      expect(answer.body).toEqual({
        code: 'NOT_ACCEPTABLE',
        message: expect.stringContaining('application/json'),
        status: 406,
      });
    }
    expect((await app.rest('GET', `/pets/${rows.petId}`)).status).toBe(200);
    expect((await app.rest('GET', `/store/orders/${rows.orderId}`)).status).toBe(200);
    expect((await app.rest('GET', `/store/inventory/${rows.petId}`)).body.quantity).toBe(4);
  });
});

describe('the media type of a body', () => {
  test.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
    'Application/JSON ; Charset=Utf-8',
    'application/json; profile="https://pets.example/new"',
  ])('%s is JSON', async (contentType) => {
    const body = { name: 'Émile 犬' };
    const answer = await app.rest('POST', '/categories', { body, headers: { 'content-type': contentType } });
    expect(answer.status).toBe(201);
    expect(answer.body.name).toBe('Émile 犬');
  });

  test('that PATCH does not accept is rejected with Accept-Patch', async () => {
    const { petId } = await makeRows();
    for (const type of ['text/plain', 'application/json-patch+json', 'application/merge-patch', 'application/jsonx']) {
      const options = { body: { name: 'Bello' }, headers: { 'content-type': type } };
      const { status, headers, body } = await app.rest('PATCH', `/pets/${petId}`, options);
      expect(status).toBe(415);
      expect(listed(headers, 'accept-patch')).toEqual(['application/json', 'application/merge-patch+json']);
      const message = `Content-Type must be application/merge-patch+json or application/json; not "${type}".`;
      expect(body).toEqual({ code: 'UNSUPPORTED_MEDIA_TYPE', message, status: 415 });
    }
    expect((await app.rest('GET', `/pets/${petId}`)).body.name).toBe('Rex');
  });

  test('application/merge-patch+json is accepted by PATCH only', async () => {
    const options = { body: { name: 'Dogs' }, headers: { 'content-type': 'application/merge-patch+json' } };
    const { status, headers } = await app.rest('POST', '/categories', options);
    expect(status).toBe(415);
    expect(headers.has('accept-patch')).toBe(false);
  });
});

describe('the size of a body', () => {
  test('may be 1 MiB, but not a byte more', async () => {
    const body = JSON.stringify({ name: 'Dogs' });
    const whole = await app.rest('POST', '/categories', { body: body.padEnd(2 ** 20) });
    expect(whole.status).toBe(201);
    const more = await app.rest('POST', '/categories', { body: body.padEnd(2 ** 20 + 1) });
    expect(more.status).toBe(413);
    expect(more.body.message).toContain('1 MiB');
  });

  test('is counted in bytes, and rejected by a Content-Length that is too large', async () => {
    const emoji = await app.rest('POST', '/categories', { body: `"${'🐕'.repeat(2 ** 18)}"` });
    expect(emoji.status).toBe(413);
    const declared = await app.rest('POST', '/categories', { body: '{}', headers: { 'content-length': '1048577' } });
    expect(declared.status).toBe(413);
  });

  test.each([
    ['5000 values', `{"name": [${'1,'.repeat(5_000)}1]}`],
    ['5000 values', `{${'"name": [[[[[[[[[[]]]]]]]]]],'.repeat(500)}"id": 1234567890123456789}`],
    ['100000 bytes', `{"name": "${'x'.repeat(100_001)}"}`],
    ['1000 digits', `{"name": ${'9'.repeat(1_001)}}`],
  ])(
    'is not the only limit: a body that is slow to parse is rejected before it is parsed, for more than %s',
    async (limit, body) => {
      for (const [method, path] of [
        ['POST', '/categories'],
        ['PATCH', '/pets/1'],
      ] as const) {
        const answer = await app.rest(method, path, { body });
        expect([answer.status, answer.body.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
        expect(answer.body.message).toContain(limit);
      }
    },
  );
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

describe('an encoded body', () => {
  test('that is compressed is 415, and the message says what is accepted', async () => {
    const { status, headers, body } = await app.rest('POST', '/categories', {
      body: { name: 'Zipped' },
      headers: { 'content-encoding': 'gzip' },
    });
    expect([status, body.code, headers.get('accept-encoding')]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE', 'identity']);
    expect(body.message).toContain('gzip');
  });

  test('with a byte order mark is 400, and the message says so', async () => {
    const { status, body } = await app.rest('POST', '/categories', { body: '\ufeff{"name":"Marked"}' });
    expect([status, body.code]).toEqual([400, 'MALFORMED_JSON']);
    expect(body.message).toContain('byte order mark');
  });
});
