import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { petStoreService } from '../../src/petstore/service.ts';
import { hostileRequest } from '../bench/soak/hostile.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { isWhole } from '../support/cases.ts';

const { schema } = petStoreService;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.dispose());

/** The value of a series; 0 before its first. */
async function metric(series: string): Promise<number> {
  const text = await (await app.fetch(new Request('http://pets.example/metrics'))).text();
  return Number(text.split(`${series} `)[1]?.split('\n')[0] ?? 0);
}

/** The label values: REST operations, GraphQL root fields, the other paths, and the words for everything else. */
function operations(): string[] {
  const { paths } = JSON.parse(readFileSync(new URL('../../schema/openapi.json', import.meta.url), 'utf8'));
  const ofRest = Object.values<object>(paths).flatMap((path) =>
    Object.values(path).map(({ operationId }) => operationId),
  );
  const roots = [schema.getQueryType(), schema.getMutationType()];
  const ofGraphQL = roots.flatMap((type) => Object.keys(type?.getFields() ?? {}));
  const words = ['several', '__typename', 'none', 'failed', 'options', 'preflight', 'methodNotAllowed', 'playground'];
  return [...ofRest, ...ofGraphQL, ...words];
}

test('every label has few values, whatever clients send', async () => {
  const known = { pets: 0, orderCursors: ['none'] };
  for (let n = 0; n < (isWhole ? 1_500 : 750); n++) {
    const { method, path, headers, body } = hostileRequest(n, known);
    // A Request of the Fetch standard cannot have this method.
    if (method === 'TRACE') continue;
    await (
      await app.fetch(new Request(`http://pets.example${path}`, { method, headers, ...(body && { body }) }))
    ).text();
  }
  const text = await (await app.fetch(new Request('http://pets.example/metrics'))).text();
  const values = (name: string) => [
    ...new Set([...text.matchAll(new RegExp(`\\b${name}="([^"]*)"`, 'g'))].map(([, value]) => value)),
  ];
  expect(values('operation').filter((value = '') => !operations().includes(value) && !value.startsWith('/'))).toEqual(
    [],
  );
  expect(values('operation').length).toBeGreaterThan(20);
  expect(values('operation').length).toBeLessThan(60);
  expect(values('protocol').toSorted()).toEqual(['graphql', 'health', 'none', 'page', 'rest']);
  expect(values('status').every((status) => /^[2345]\d\d$/.test(status ?? ''))).toBe(true);
  expect(values('client').length).toBeLessThanOrEqual(101);
  for (const name of ['statement', 'batch', 'coordinate', 'level']) {
    expect([name, values(name).filter((value) => /\d/.test(value ?? ''))]).toEqual([name, []]);
    expect(values(name).length).toBeLessThan(40);
  }
});

test.each([
  ['events', '{ pets { totalCount } newest: events(after: "now") { nodes { id } } }'],
  ['several', '{ pets { totalCount } orders { totalCount } }'],
])(
  'a GraphQL operation with several root fields is counted as %s, the one that waits: %s',
  async (operation, query) => {
    const count = () => metric(`http_requests_total{protocol="graphql",operation="${operation}",status="200"}`);
    const before = await count();
    expect((await app.graphql(query)).errors).toBeUndefined();
    expect(await count()).toBe(before + 1);
  },
);

test.each([
  ['createPet', 422, 'UNKNOWN_REFERENCE', 'mutation { createPet(pet: { name: "Rex", categoryId: 0 }) { id } }'],
  ['none', 400, 'GRAPHQL_PARSE_FAILED', '{ pets('],
  ['none', 400, 'GRAPHQL_VALIDATION_FAILED', '{ pets { nothing } }'],
])('a GraphQL error is counted by its own status, although the response is 200: %s %i %s', async (...one) => {
  const [operation, status, code, query] = one;
  const count = () => metric(`http_requests_total{protocol="graphql",operation="${operation}",status="${status}"}`);
  const before = await count();
  const response = await app.fetch(
    new Request('http://pets.example/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    }),
  );
  expect([response.status, await response.text()]).toEqual([200, expect.stringContaining(code)]);
  expect(await count()).toBe(before + 1);
});

test('the duration of a request is in seconds', async () => {
  const taken = () => metric('http_request_duration_seconds_sum{protocol="rest",operation="listCategories"}');
  const [before, began] = [await taken(), performance.now()];
  await app.rest('GET', '/categories');
  const elapsed = (performance.now() - began) / 1000;
  const seconds = (await taken()) - before;
  expect(seconds).toBeGreaterThan(0);
  expect(seconds).toBeLessThan(elapsed);
});
