import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { seed } from '../../../src/petstore/seed.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { ask, askStrictly, post, range } from './ask.ts';

const SEEDED_PETS = 60;

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
  await seed(app.database, SEEDED_PETS, () => {});
});
afterAll(() => app?.dispose());

describe('over HTTP', () => {
  const MUTATION = 'mutation { createCategory(category: { name: "By GET" }) { id } }';
  const get = (parameters: Record<string, string>) =>
    app.fetch(new Request(`http://pets.example/graphql?${new URLSearchParams(parameters)}`));

  test('a mutation by GET is rejected and changes nothing', async () => {
    const response = await get({ query: MUTATION });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('POST');
    expect(await response.json()).toMatchObject({
      errors: [{ extensions: { code: 'METHOD_NOT_ALLOWED', status: 405 } }],
    });
    const named = await get({
      query: `query Safe { __typename } ${MUTATION.replace('mutation', 'mutation Made')}`,
      operationName: 'Made',
    });
    expect(named.status).toBe(405);
    expect((await ask(app, '{ categories(name: "By GET") { totalCount } }')).categories.totalCount).toBe(0);
  });

  test('a query by GET is answered; its variables are JSON', async () => {
    const response = await get({
      query: 'query ($id: Int64!) { pets(id: [$id]) { nodes { id } } }',
      variables: '{"id": 3}',
    });
    expect(await response.json()).toEqual({ data: { pets: { nodes: [{ id: 3 }] } } });
  });

  test('an empty operationName by GET is as none', async () => {
    const response = await get({ query: '{ pets(id: 3) { nodes { id } } }', operationName: '' });
    expect(await response.json()).toEqual({ data: { pets: { nodes: [{ id: 3 }] } } });
  });

  test.each([
    ['the digest of persisted queries', { extensions: { persistedQuery: { version: 1, sha256Hash: 'ecf4edb4' } } }],
    ['null in place of another parameter', { doc_id: null }],
  ])('a query with %s is answered', async (_, more) => {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ query: '{ __typename }', ...more });
    const response = await app.fetch(new Request('http://pets.example/graphql', { method: 'POST', headers, body }));
    expect(await response.json()).toEqual({ data: { __typename: 'Query' } });
  });

  test.each([
    ['no query', {}, /^query must be a string/],
    ['null as the query', { query: null }, /^query must be a string/],
    ['no query besides other extensions', { extensions: { lifecycle: true } }, /^query must be a string/],
    ['a number as the query', { query: 5 }, /^query must be a string/],
    ['a number as operationName', { query: '{ __typename }', operationName: 7 }, /^operationName must be a string\.$/],
    ['a list as variables', { query: '{ __typename }', variables: [] }, /^variables must be an object, not a list\.$/],
    ['text as extensions', { query: '{ __typename }', extensions: '' }, /^extensions must be an object, not ""\.$/],
    [
      'another parameter',
      { query: '{ __typename }', doc_id: '1' },
      /^"doc_id" is not a parameter of GraphQL, which accepts query, operationName, variables, extensions\.$/,
    ],
    ['a misspelt query', { qery: '{ __typename }' }, /^"qery" is not a parameter of GraphQL/],
  ])('%s is 400, with what is accepted and without Allow', async (_, body, message) => {
    const headers = { 'content-type': 'application/json' };
    const request = new Request('http://pets.example/graphql', { method: 'POST', headers, body: JSON.stringify(body) });
    const response = await app.fetch(request);
    expect([response.status, response.headers.get('allow')]).toEqual([400, null]);
    const answer = { errors: [{ message: expect.stringMatching(message), extensions: { code: 'INVALID_ARGUMENT' } }] };
    expect(await response.json()).toMatchObject(answer);
  });

  test.each([
    [
      { doc_id: '1' },
      '"doc_id" is not a parameter of GraphQL, which accepts query, operationName, variables, extensions.',
    ],
    [
      JSON.parse('{"__proto__": "1"}'),
      '"__proto__" is not a parameter of GraphQL, which accepts query, operationName, variables, extensions.',
    ],
    [{ variables: '{"id": 3, "id": 4}' }, 'variables has an object with the member "id" more than once.'],
    [{ extensions: '{"a": {"b": 1, "\\u0062": 2}}' }, 'extensions has an object with the member "b" more than once.'],
  ])('GET with %j is 400: nothing is dropped silently', async (parameters, message) => {
    const query = 'query ($id: Int64 = 3) { category(categoryId: $id) { id } }';
    const response = await get({ query, ...(parameters as Record<string, string>) });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ errors: [{ message, extensions: { code: 'INVALID_ARGUMENT' } }] });
  });

  test.each([
    [
      'values nested thousands deep',
      `{"a":${'['.repeat(7_000)}${']'.repeat(7_000)}}`,
      'variables has values that are nested more than 1500 deep.',
    ],
    ['thousands of values', `{"a":[${'1,'.repeat(6_000)}1]}`, 'variables has more than 5000 values.'],
  ])(
    'GET with variables that have %s is rejected as a body is, before they are parsed',
    async (_, variables, message) => {
      const response = await get({ query: '{ __typename }', variables });
      expect(response.status).toBe(413);
      expect((await response.json()).errors[0].message).toBe(message);
    },
  );

  test('GET with a parameter twice is 400', async () => {
    const response = await app.fetch(new Request('http://pets.example/graphql?query={__typename}&query={__schema}'));
    expect([response.status, (await response.json()).errors[0].message]).toEqual([
      400,
      '"query" must be given only once.',
    ]);
  });

  test('HEAD is GET without the body', async () => {
    const send = (method: string) =>
      app.fetch(new Request('http://pets.example/graphql?query={categories{totalCount}}', { method }));
    const [got, head] = [await send('GET'), await send('HEAD')];
    expect([head.status, await head.text()]).toEqual([200, '']);
    for (const name of ['content-type', 'content-length'])
      expect([name, head.headers.get(name)]).toEqual([name, got.headers.get(name)]);
  });

  test('another method is 405, with the same Allow as OPTIONS has', async () => {
    const send = (method: string) => app.fetch(new Request('http://pets.example/graphql', { method }));
    const [put, options] = [await send('PUT'), await send('OPTIONS')];
    expect([put.status, put.headers.get('allow')]).toEqual([405, options.headers.get('allow')]);
  });

  test.each(['If-Match', 'If-None-Match'])('a mutation with %s is rejected and changes nothing', async (name) => {
    const send = (query: string) => {
      const headers = { 'content-type': 'application/json', [name]: '"1"' };
      const body = JSON.stringify({ query });
      return app.fetch(new Request('http://pets.example/graphql', { method: 'POST', headers, body }));
    };
    // A repeated document is compiled.
    for (let n = 0; n < 15; n++) {
      expect(await (await send(MUTATION)).json()).toEqual({
        errors: [
          {
            message: `${name} cannot be used with a mutation; pass expectedVersion instead.`,
            extensions: { code: 'INVALID_ARGUMENT', status: 400 },
          },
        ],
      });
    }
    expect(await (await send('{ categories(name: "By GET") { totalCount } }')).json()).toEqual({
      data: { categories: { totalCount: 0 } },
    });
  });

  test('a form of another origin cannot post: only JSON is accepted', async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/graphql',
    ]) {
      const body = JSON.stringify({ query: MUTATION });
      const response = await app.fetch(
        new Request('http://pets.example/graphql', { method: 'POST', headers: { 'content-type': type }, body }),
      );
      expect([type, response.status]).toEqual([type, 415]);
      const message = `Content-Type must be application/json; not "${type}".`;
      expect(await response.json()).toMatchObject({ errors: [{ message }] });
    }
  });

  test.each([
    'text/html',
    'image/png',
    'application/problem+json',
    'multipart/mixed',
    'application/json;q=0',
    `a/b;x="${','.repeat(15_000)}"`,
  ])('a change is not made if its response is not acceptable: 406, for Accept: %.40s', async (accept) => {
    for (const key of [undefined, randomUUID()]) {
      const response = await app.fetch(
        new Request('http://pets.example/graphql', {
          method: 'POST',
          headers: { 'content-type': 'application/json', accept, ...(key && { 'idempotency-key': key }) },
          body: JSON.stringify({ query: MUTATION }),
        }),
      );
      expect([response.status, response.headers.get('content-type')]).toEqual([406, 'application/json; charset=utf-8']);
      expect(await response.json()).toMatchObject({
        errors: [{ extensions: { code: 'NOT_ACCEPTABLE', status: 406 } }],
      });
      expect([...response.headers].join().length).toBeLessThan(2_000);
    }
    expect((await ask(app, '{ categories(name: "By GET") { totalCount } }')).categories.totalCount).toBe(0);
  });

  test.each(['application/json;q=0.9, text/event-stream', 'multipart/mixed, Text/Event-Stream'])(
    'a client that prefers a stream gets the result as one: Accept: %s',
    async (accept) => {
      const response = await post(app, '{ __typename }', {}, accept);
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
      expect(await response.text()).toMatch(/^event: next\ndata: \{"data":.*\n\nevent: complete\n/);
    },
  );

  test.each([
    // As urql sends.
    'application/graphql-response+json, application/graphql+json, application/json, text/event-stream, multipart/mixed',
    'text/event-stream;q=0.9, application/json',
    'text/event-stream;q=0, */*',
  ])('a client that accepts a stream besides gets JSON: Accept: %s', async (accept) => {
    const response = await post(app, '{ __typename }', {}, accept);
    expect([response.status, await response.json()]).toEqual([200, { data: { __typename: 'Query' } }]);
  });

  test('an error of the whole request has its own status for a client of streams, too', async () => {
    const query = 'mutation { createCategory(category: { name: " " }) { id } }';
    const { status, headers } = await post(app, query, {}, 'text/event-stream');
    expect([status, headers.get('content-type')]).toEqual([422, 'application/graphql-response+json; charset=utf-8']);
  });

  test('a cache SHOULD be told that responses to a GET depend on Accept (RFC 9110, section 12.5.5)', async () => {
    const asked = [
      '{ __typename }',
      '{',
      'mutation { createCategory(category: { name: "By GET" }) { id } }',
      'subscription { events { id } }',
    ];
    const types = ['application/json', 'application/graphql-response+json', 'text/event-stream', 'text/html', 'a/b'];
    for (const query of asked) {
      for (const accept of types) {
        const url = `http://pets.example/graphql?${new URLSearchParams({ query })}`;
        const { headers, body } = await app.fetch(new Request(url, { headers: { accept } }));
        expect([query, accept, headers.get('vary')]).toEqual([query, accept, expect.stringMatching(/Accept(,|$)/)]);
        await body?.cancel();
      }
    }
  });

  test.each([
    ['that cannot be parsed', '{', 400],
    ['that is invalid', '{ nope }', 400],
    [
      'with too many aliases',
      `{ ${range(1, 201)
        .map((n) => `a${n}: __typename`)
        .join(' ')} }`,
      400,
    ],
    ['without a variable', 'query ($id: Int64!) { pets(id: [$id]) { nodes { id } } }', 422],
  ])(
    'a document %s is 4xx for clients that accept application/graphql-response+json, 200 for others',
    async (...one) => {
      const [, query, status] = one;
      expect((await askStrictly(app, query)).status).toBe(status);
      expect((await post(app, query)).status).toBe(200);
    },
  );
});
