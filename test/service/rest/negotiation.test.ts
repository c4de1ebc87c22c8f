import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { examples, makeRows } from './examples.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.dispose());

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
