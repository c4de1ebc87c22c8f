import { randomUUID } from 'node:crypto';
import { type GraphQLInputType, getNamedType, isEnumType, isInputObjectType, isListType, isNonNullType } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringifyJson } from '../../../src/engine/json.ts';
import { seed } from '../../../src/petstore/seed.ts';
import { petStoreService } from '../../../src/petstore/service.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { ask, askInVain, askStrictly, post, range, type Values } from './ask.ts';

const { schema } = petStoreService;

type Way = 'literals' | 'variables';

const SEEDED_PETS = 60;
const GREATEST = 9_223_372_036_854_775_807n;

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
  await seed(app.database, SEEDED_PETS, () => {});
});
afterAll(() => app?.dispose());

describe('every operation', () => {
  const called = new Set<string>();

  describe.each<Way>(['literals', 'variables'])('with its arguments as %s', (way) => {
    // biome-ignore lint/suspicious/noExplicitAny: a test looks at whatever came.
    const call = (field: string, args: Values, selection: string): Promise<any> => {
      called.add(field);
      return callField(way, field, args, selection);
    };
    const idOf = (row: { id: number }) => row.id;

    test('a category is created, read, listed, changed, replaced and deleted', async () => {
      const fields = '{ id name description }';
      const made = await call('createCategory', { category: { name: 'Owls', description: 'By night.' } }, fields);
      expect(made).toEqual({ id: expect.any(Number), name: 'Owls', description: 'By night.' });
      const categoryId = idOf(made);
      expect(await call('category', { categoryId }, fields)).toEqual(made);
      expect(await call('categories', { id: [categoryId], name: 'OW' }, `{ nodes ${fields} }`)).toEqual({
        nodes: [made],
      });
      const changed = await call('updateCategory', { categoryId, changes: { description: 'At night.' } }, fields);
      expect(changed).toEqual({ ...(made as object), description: 'At night.' });
      const replaced = await call('replaceCategory', { categoryId, category: { name: 'Night owls' } }, fields);
      expect(replaced).toEqual({ id: categoryId, name: 'Night owls', description: null });
      expect(await call('deleteCategory', { categoryId }, fields)).toEqual(replaced);
      expect(await call('category', { categoryId }, fields)).toBeNull();
    });

    test('a pet is created, read, listed, changed, replaced and deleted', async () => {
      const fields = '{ id name categoryId status }';
      const made = await call('createPet', { pet: { name: `Zora ${way}`, categoryId: 1 } }, fields);
      expect(made).toEqual({ id: expect.any(Number), name: `Zora ${way}`, categoryId: 1, status: 'available' });
      const petId = idOf(made);
      expect(await call('pet', { petId }, fields)).toEqual(made);
      const filters = { id: [petId, 1], status: ['available', 'sold'], categoryId: [1, 2], name: `zora ${way}` };
      expect(await call('pets', { ...filters, sort: 'name_desc', first: 5 }, `{ nodes ${fields} }`)).toEqual({
        nodes: [made],
      });
      const changed = { ...made, status: 'sold' };
      expect(await call('updatePet', { petId, changes: { status: 'sold' } }, fields)).toEqual(changed);
      const replacement = { name: 'Zoë', categoryId: 2 };
      const replaced = { id: petId, ...replacement, status: 'available' };
      expect(await call('replacePet', { petId, pet: replacement }, fields)).toEqual(replaced);
      expect(await call('deletePet', { petId }, fields)).toEqual(replaced);
      expect(await call('pet', { petId }, fields)).toBeNull();
    });

    test('stock is counted, ordered, returned and no longer counted', async () => {
      const petId = idOf(await call('createPet', { pet: { name: 'Stocky', categoryId: 1 } }, '{ id }'));
      const entry = '{ petId quantity status began }';
      const begun = await call('replaceStock', { petId, update: { quantity: 3 } }, entry);
      expect(begun).toEqual({ petId, quantity: 3, status: 'available', began: true });
      expect((await call('replaceStock', { petId, update: { quantity: 2 } }, entry)).began).toBe(false);

      const fields = '{ id petId quantity shipDate complete pet { inventory { quantity status } } }';
      const placed = await call('placeOrder', { order: { petId, shipDate: '2026-11-21T10:30:00+01:00' } }, fields);
      const inventory = { quantity: 1, status: 'available' };
      const shipDate = '2026-11-21T09:30:00.000Z';
      const order = { id: expect.any(Number), petId, quantity: 1, shipDate, complete: false, pet: { inventory } };
      expect(placed).toEqual(order);
      const orderId = idOf(placed);
      expect(await call('order', { orderId }, fields)).toEqual(placed);
      const listed = await call('orders', { id: [orderId], petId: [petId], complete: false }, `{ nodes ${fields} }`);
      expect(listed).toEqual({ nodes: [placed] });

      const changes = { quantity: 2, shipDate: null };
      const changed = await call('updateOrder', { orderId, changes }, fields);
      const none = { quantity: 0, status: 'pending' };
      expect(changed).toEqual({ ...order, quantity: 2, shipDate: null, pet: { inventory: none } });
      expect(await call('inventoryItem', { petId }, entry)).toEqual({ petId, ...none, began: false });
      const entries = await call('inventory', { petId: [petId], status: ['pending'] }, '{ nodes { petId } }');
      expect(entries).toEqual({ nodes: [{ petId }] });

      expect(await call('cancelOrder', { orderId }, '{ id }')).toEqual({ id: orderId });
      expect(await call('stopTracking', { petId }, '{ quantity pet { inventory { quantity } } }')).toEqual({
        quantity: 2,
        pet: { inventory: null },
      });
      expect(await call('inventoryItem', { petId }, entry)).toBeNull();
    });

    test('events are listed', async () => {
      const args = { first: 2, after: 'now', types: ['pet_created', 'pet_deleted'], subject: 'pets/1', wait: 0 };
      const { nodes, pageInfo } = await call(
        'events',
        args,
        '{ nodes { id type } pageInfo { hasNextPage endCursor } }',
      );
      expect([nodes, pageInfo]).toEqual([[], { hasNextPage: false, endCursor: expect.stringMatching(/^1\.\d+$/) }]);
    });

    test('webhooks are created, changed, sent events again and deleted', async () => {
      const webhook = { url: 'https://shop.example/', types: ['pet_created'], description: 'New pets.' };
      const fields = '{ id url types description enabled disabledBecause createdAt version }';
      const { id: webhookId, secret } = await call('createWebhook', { webhook }, '{ id secret }');
      expect(secret).toMatch(/^whsec_/);
      const read = await call('webhook', { webhookId }, fields);
      expect(read).toMatchObject({ ...webhook, enabled: true, disabledBecause: null, version: 1 });
      const listed = await call('webhooks', { id: [webhookId], sort: 'id', first: 1 }, `{ nodes ${fields} }`);
      expect(listed).toEqual({ nodes: [read] });
      const changed = await call('updateWebhook', { webhookId, changes: { types: null } }, '{ types version }');
      expect(changed).toEqual({ types: [], version: 2 });
      const rotated = await call('rotateWebhookSecret', { webhookId }, '{ secret version }');
      expect(rotated).toEqual({ secret: expect.not.stringContaining(secret), version: 3 });
      expect(await call('redeliverEvents', { webhookId, after: 'now' }, '{ id }')).toEqual({ id: webhookId });
      const args = { webhookId, status: ['pending', 'failed'], sort: 'id_desc', first: 1 };
      const attempts = 'attempts lastAttemptAt nextAttemptAt responseStatus error';
      const selection = `{ totalCount nodes { id webhookId event type subject status ${attempts} } }`;
      expect(await call('deliveries', args, selection)).toEqual({ totalCount: 0, nodes: [] });
      expect(await call('deleteWebhook', { webhookId }, '{ id }')).toEqual({ id: webhookId });
    });

    test('annotated elements are listed', async () => {
      const [first] = await call('lifecycle', {}, '{ coordinate operation level sunset usesByDay { day uses } }');
      expect(first).toMatchObject({ coordinate: 'Query.pet', operation: 'GET /pets/{petId}', level: 'deprecated' });
    });
  });

  test('every operation is tested here', () => {
    const all = [schema.getQueryType(), schema.getMutationType()].flatMap((type) =>
      Object.keys(type?.getFields() ?? {}),
    );
    expect([...called].sort()).toEqual(all.sort());
  });

  test('identifiers are exact to the last digit, as literals and in variables', async () => {
    const variables = { id: GREATEST };
    const { data } = await app.graphql(
      `query ($id: Int64!) { __typename literal: pets(id: [${GREATEST}, 1]) { nodes { id } }
        variable: pets(id: [$id, 1]) { nodes { id } } }`,
      variables,
    );
    expect(data).toMatchObject({ literal: { nodes: [{ id: 1 }] }, variable: { nodes: [{ id: 1 }] } });
    const error = await askInVain(app, 'mutation ($id: Int64!) { deletePet(petId: $id) { id } }', variables);
    expect(error.message).toBe(`No pet has the id ${GREATEST}.`);
  });
});

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

async function callField(way: Way, name: string, args: Values, selection: string): Promise<unknown> {
  const isQuery = schema.getQueryType()?.getFields()[name] !== undefined;
  const field = (isQuery ? schema.getQueryType() : schema.getMutationType())?.getFields()[name];
  const given = (field?.args ?? []).filter((arg) => args[arg.name] !== undefined);
  const definitions = given.map((arg) => `$${arg.name}: ${arg.type}`).join(', ');
  const values = given.map(
    (arg) => `${arg.name}: ${way === 'variables' ? `$${arg.name}` : literal(arg.type, args[arg.name])}`,
  );
  const list = (parts: string) => (parts === '' ? '' : `(${parts})`);
  const head = `${isQuery ? 'query' : 'mutation'} ${way === 'variables' ? list(definitions) : ''}`;
  const document = `${head} { ${name}${list(values.join(', '))} ${selection} }`;
  return (await ask(app, document, way === 'variables' ? args : undefined))[name];
}

function literal(type: GraphQLInputType, value: unknown): string {
  if (value === null) return 'null';
  if (isNonNullType(type)) return literal(type.ofType, value);
  if (isListType(type)) return `[${(value as unknown[]).map((item) => literal(type.ofType, item)).join(', ')}]`;
  const named = getNamedType(type);
  if (isEnumType(named)) return String(value);
  if (!isInputObjectType(named) || value === null) return stringifyJson(value);
  const fields = Object.entries(value as Values).map(([name, part]) => {
    const field = named.getFields()[name];
    if (field === undefined) throw new Error(`${named.name} has no field ${name}.`);
    return `${name}: ${literal(field.type, part)}`;
  });
  return `{ ${fields.join(', ')} }`;
}
