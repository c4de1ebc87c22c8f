import { hash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { examples, listed, makeRows } from './examples.ts';

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
    'text/event-stream',
    'application/json;q=0',
    'application/json; q=0',
    'application/json;Q=0',
    'text/html, application/json;q=0.0',
  ])('"%s" is 406, and nothing is changed', async (accept) => {
    const rows = await makeRows(app);
    for (const { operationId, method, path, body } of examples(rows)) {
      // This resource is also a page, and the feed is also a stream.
      if (path === '/lifecycle' && accept.includes('html')) continue;
      if (operationId === 'listEvents' && accept.includes('event-stream')) continue;
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

  test('counts with its first 50 media types: a field of thousands keeps no other caller waiting', async () => {
    const statuses = [49, 50].map(async (others) => {
      const headers = { accept: `${'image/png,'.repeat(others)}application/json` };
      return (await app.rest('GET', '/pets', { headers })).status;
    });
    expect(await Promise.all(statuses)).toEqual([200, 406]);
  });

  test('counts with its first 50 codings, too', async () => {
    const codings = [49, 50].map(async (others) => {
      const headers = { 'accept-encoding': `${'br,'.repeat(others)}gzip` };
      return (await app.fetch(new Request('http://pets.example/reference/style.css', { headers }))).headers.get(
        'content-encoding',
      );
    });
    expect(await Promise.all(codings)).toEqual(['gzip', null]);
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
    const { petId } = await makeRows(app);
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
    ['5000 values', `{"name": [${'{},'.repeat(2_500)}1]}`],
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

  test.each([
    ['5000 values', `{"name": [${'1,'.repeat(4_997)}1]}`],
    ['100000 bytes in a string', `{"name": "${'x'.repeat(100_000)}"}`],
    ['1000 digits', `{"name": ${'9'.repeat(1_000)}}`],
    ['commas and quotes in a string', JSON.stringify({ name: `"${','.repeat(6_000)}` })],
  ])('is not exceeded by %s: the body is parsed', async (_, body) => {
    expect((await app.rest('POST', '/categories', { body })).status).toBe(422);
  });

  test.each(['x', '\\'])(
    'is read to its end at most: a long string that ends with %j, and no quote, is 400',
    async (end) => {
      const { status, body } = await app.rest('POST', '/categories', { body: `{"name": "${'x'.repeat(1_000)}${end}` });
      expect([status, body.code]).toEqual([400, 'MALFORMED_JSON']);
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

  test.each(['identity', 'Identity'])('with the coding "%s" is accepted', async (coding) => {
    const { status } = await app.rest('POST', '/categories', {
      body: { name: `Plain ${coding}` },
      headers: { 'content-encoding': coding },
    });
    expect(status).toBe(201);
  });

  test('with a byte order mark is 400, and the message says so', async () => {
    const { status, body } = await app.rest('POST', '/categories', { body: '\ufeff{"name":"Marked"}' });
    expect([status, body.code]).toEqual([400, 'MALFORMED_JSON']);
    expect(body.message).toContain('byte order mark');
  });
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
