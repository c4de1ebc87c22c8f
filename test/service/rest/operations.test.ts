import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RestOptions, startTestApp, type TestApp } from '../../support/app.ts';
import { openApi } from '../../support/contract.ts';
import { examples, makeRows } from './examples.ts';

const sample = examples({ petId: 0, uncounted: 0, categoryId: 0, empty: 0, orderId: 0, webhookId: 0 });
const LIFECYCLE = ['api-stability', 'deprecation', 'sunset', 'link', 'warning'];

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.dispose());

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
    const hint = 'Add it to test/service/rest/examples.ts';
    expect(sample.map(({ operationId }) => operationId).toSorted(), hint).toEqual(described.toSorted());
  });

  test('succeeds with its own status, as JSON or without a body', async () => {
    for (const { operationId, method, path, status, body } of examples(await makeRows(app))) {
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
    for (const { method, path, status, body } of examples(await makeRows(app))) {
      if (status !== 201) continue;
      const made = await app.rest(method, path, { body });
      const location = made.headers.get('location') ?? '';
      expect(location.startsWith('http://pets.example/')).toBe(true);
      // A secret is shown only once.
      const { secret, ...shown } = made.body;
      expect((await app.rest('GET', new URL(location).pathname)).body).toEqual(shown);
    }
  });

  test('states its stability when it succeeds: beta, experimental, deprecated, or nothing', async () => {
    for (const { operationId, method, path, body, stability } of examples(await makeRows(app))) {
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
      const answer = await app.rest(method, path + (path.includes('?') ? query.replace('?', '&') : query), options);
      expect({ operationId, status: answer.status }).toEqual({ operationId, status });
      expect({ operationId, ...lifecycleOf(answer.headers) }).toEqual({
        operationId,
        ...(stability === 'deprecated' ? deprecation(0) : stability && { 'api-stability': stability }),
      });
    }
  });

  test('also states its stability with 404, 409, 413, 415 and 422', async () => {
    const { petId, orderId } = await makeRows(app);
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
    const { petId } = await makeRows(app);
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
    const { petId } = await makeRows(app);
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
    const { petId, categoryId } = await makeRows(app);
    const put = await app.rest('PUT', `/pets/${petId}`, { body: { name: 'Rex', categoryId } });
    expect(lifecycleOf(put.headers)).toEqual({});
    expect(lifecycleOf((await app.rest('OPTIONS', `/pets/${petId}`)).headers)).toEqual({});
    expect(lifecycleOf((await app.rest('POST', `/pets/${petId}`)).headers)).toEqual({});
  });
});
