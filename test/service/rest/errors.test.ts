import { STATUS_CODES } from 'node:http';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type RestOptions, startTestApp, type TestApp } from '../../support/app.ts';
import { makeRows } from './examples.ts';

/** Reason phrases of RFC 9110 that differ from Node's. */
const RFC_9110: Readonly<Record<number, string>> = { 413: 'Content Too Large', 422: 'Unprocessable Content' };

let app: TestApp;
const lines: unknown[] = [];
const logger = pino({}, { write: (line: string) => lines.push(JSON.parse(line)) });

beforeAll(async () => {
  app = await startTestApp({}, {}, undefined, undefined, logger);
});
afterAll(() => app.dispose());
afterEach(() => void lines.splice(0));

test('a bug that shows before the request is read is logged, and answered as any other is', async () => {
  const broken = await startTestApp({}, {}, undefined, undefined, logger);
  const request = new Request('http://pets.example/pets', { headers: { accept: 'application/problem+json' } });
  const get = request.headers.get.bind(request.headers);
  request.headers.get = (name) => {
    if (name === 'x-request-id') throw new Error('a bug');
    return get(name);
  };
  const response = await broken.fetch(request).finally(() => broken.dispose());
  expect([response.status, response.headers.get('content-type')]).toEqual([500, 'application/problem+json']);
  expect(await response.json()).toMatchObject({ code: 'INTERNAL', status: 500 });
  const requestId = response.headers.get('x-request-id');
  expect(lines).toMatchObject([{ level: 50, requestId, code: 'INTERNAL', err: { message: 'a bug' } }]);
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

  test.each(failures)(
    '%s is the client’s, and not logged: otherwise clients could fill the log',
    async (...failure) => {
      const [, , method, path, options] = failure;
      await app.rest(method, path, options);
      expect(lines).toEqual([]);
    },
  );

  test.each(failures)('%s is a problem (RFC 9457) for a client that accepts it', async (...failure) => {
    const [code, status, method, path, options] = failure;
    const { body: error } = await app.rest(method, path, options);
    for (const accept of [
      'application/problem+json',
      'application/json, application/problem+json',
      'application/problem+json;q=0.5, application/json',
      'text/html, application/problem+json',
      'Application/Problem+JSON',
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
    const { categoryId } = await makeRows(app);
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

  test('is well-formed Unicode, wherever it cuts off what the client has sent', async () => {
    const headers = { accept: 'application/problem+json' };
    const emoji = (before: number) => 'a'.repeat(before) + '😀'.repeat(4);
    for (const length of [57, 58]) {
      const body = { name: 'Rex', categoryId: 1, status: emoji(length), [emoji(length)]: 1, '\ud800': 1 };
      const { text } = await app.rest('POST', '/pets', { headers, body });
      expect(text).toContain('…');
      expect(text).not.toMatch(/(?<!\\)\\ud[89a-f]/);
    }
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
