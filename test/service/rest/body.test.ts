import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { listed, makeRows } from './examples.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.dispose());

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
