import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RestAnswer, type RestOptions, startTestApp, type TestApp } from '../../support/app.ts';

let app: TestApp;
let categoryId: number;

beforeAll(async () => {
  app = await startTestApp();
  categoryId = (await app.rest('POST', '/categories', { body: { name: 'Dogs' } })).body.id;
});
afterAll(() => app.dispose());

const pet = (name = 'Rex') => ({ name, categoryId });

function keyed(method: string, path: string, key: string, { headers, ...rest }: RestOptions = {}) {
  return app.rest(method, path, { ...rest, headers: { 'idempotency-key': key, ...headers } });
}

async function countedPet(quantity: number): Promise<number> {
  const { id } = (await app.rest('POST', '/pets', { body: pet() })).body;
  await app.rest('PUT', `/store/inventory/${id}`, { body: { quantity } });
  return id;
}

async function stockOf(petId: number): Promise<number> {
  return (await app.rest('GET', `/store/inventory/${petId}`)).body.quantity;
}

async function isThere(name: string): Promise<number> {
  return (await app.rest('GET', `/pets?name=${name}&limit=100`)).body.length;
}

/** The parts of a response that a client compares: all but the request's id and whether it is a replay. */
function seen({ status, headers, text }: RestAnswer) {
  const own = ['x-request-id', 'idempotent-replayed', 'content-length'];
  return { status, text, headers: [...headers].filter(([name]) => !own.includes(name)) };
}

function isReplay({ headers }: Pick<RestAnswer, 'headers'>): boolean {
  return headers.get('idempotent-replayed') === 'true';
}

describe('a request with an Idempotency-Key', () => {
  test('is done once, however often it is sent; the response is the same, byte for byte', async () => {
    const key = randomUUID();
    const petId = await countedPet(5);
    const body = { petId, quantity: 2 };
    const first = await keyed('POST', '/store/orders', key, { body });
    expect([first.status, isReplay(first)]).toEqual([201, false]);
    for (let again = 0; again < 3; again++) {
      const replay = await keyed('POST', '/store/orders', key, { body });
      expect(isReplay(replay)).toBe(true);
      expect(seen(replay)).toEqual(seen(first));
    }
    expect(await stockOf(petId)).toBe(3);
  });

  test('is the same request with its keys in another order, or its document in another layout', async () => {
    const key = randomUUID();
    const first = await keyed('POST', '/pets', key, { body: `{"name":"Same","categoryId":${categoryId}}` });
    const again = await keyed('POST', '/pets', key, {
      body: `{ "categoryId": ${categoryId}.0, "name": "\\u0053ame" }`,
    });
    expect([isReplay(again), seen(again)]).toEqual([true, seen(first)]);
    const other = randomUUID();
    const ask = (body: string) => app.rest('POST', '/graphql', { body, headers: { 'idempotency-key': other } });
    const query = 'mutation ($pet: NewPet!) { createPet(pet: $pet) { name } }';
    const variables = (pairs: readonly string[]) => `{"pet":{${pairs.join()}}}`;
    const pairs = ['"name":"Same"', `"categoryId":${categoryId}`];
    const made = await ask(`{"query":${JSON.stringify(query)},"variables":${variables(pairs)}}`);
    const spread = JSON.stringify(query.replaceAll(' ', '\n  # a remark\n'));
    const remade = await ask(`{"variables":${variables(pairs.toReversed())},"query":${spread},"operationName":null}`);
    expect([isReplay(remade), remade.text]).toEqual([true, made.text]);
    expect((await keyed('POST', '/pets', key, { body: pet('Other') })).body.code).toBe('IDEMPOTENCY_KEY_REUSED');
    expect(await isThere('Same')).toBe(2);
  });

  test('is replayed even when the created row is gone', async () => {
    const key = randomUUID();
    const first = await keyed('POST', '/pets', key, { body: pet() });
    await app.rest('DELETE', `/pets/${first.body.id}`);
    expect(seen(await keyed('POST', '/pets', key, { body: pet() }))).toEqual(seen(first));
  });

  test.each(['PUT', 'PATCH', 'DELETE'])('may also be a %s', async (method) => {
    const { id } = (await app.rest('POST', '/pets', { body: pet() })).body;
    const send = (key: string) =>
      keyed(method, `/pets/${id}`, key, method === 'DELETE' ? {} : { body: { ...pet('Max') } });
    const key = randomUUID();
    const first = await send(key);
    expect(first.status).toBe(method === 'DELETE' ? 204 : 200);
    expect(seen(await send(key))).toEqual(seen(first));
    expect((await send(randomUUID())).status).toBe(method === 'DELETE' ? 404 : 200);
  });

  test('that was rejected because of a stored row is rejected in the same way, even if the row has changed', async () => {
    const key = randomUUID();
    const petId = await countedPet(1);
    const body = { petId, quantity: 2 };
    const first = await keyed('POST', '/store/orders', key, { body });
    expect([first.status, first.body.code]).toEqual([409, 'OUT_OF_STOCK']);
    await app.rest('PUT', `/store/inventory/${petId}`, { body: { quantity: 5 } });
    const replay = await keyed('POST', '/store/orders', key, { body });
    expect(seen(replay)).toEqual(seen(first));
    expect((await keyed('POST', '/store/orders', randomUUID(), { body })).status).toBe(201);
  });

  test.each<[string, string, object | undefined, number, string]>([
    ['POST', '/pets', { name: 'Rex', categoryId: 999_999 }, 422, 'UNKNOWN_REFERENCE'],
    ['POST', '/store/orders', { petId: 999_999 }, 422, 'UNKNOWN_REFERENCE'],
    ['PUT', '/store/inventory/999999', { quantity: 1 }, 404, 'NOT_FOUND'],
    ['PATCH', '/pets/999999', { name: 'Max' }, 404, 'NOT_FOUND'],
    ['DELETE', '/categories/1', undefined, 409, 'CONFLICT'],
  ])(
    'that the database itself rejects, %s %s, is rejected in the same way when it is retried',
    async (method, path, body, ...rejection) => {
      await app.rest('POST', '/pets', { body: pet() });
      const key = randomUUID();
      const options = body === undefined ? {} : { body };
      const first = await keyed(method, path, key, options);
      expect([first.status, first.body.code]).toEqual(rejection);
      const replay = await keyed(method, path, key, options);
      expect([isReplay(replay), seen(replay)]).toEqual([true, seen(first)]);
    },
  );

  test('that was invalid can be corrected and sent with the same key', async () => {
    const key = randomUUID();
    expect((await keyed('POST', '/pets', key, { body: { nam: 'Rex' } })).status).toBe(422);
    expect((await keyed('POST', '/pets', key, { body: '{' })).status).toBe(400);
    const mended = await keyed('POST', '/pets', key, { body: pet() });
    expect([mended.status, isReplay(mended)]).toEqual([201, false]);
  });

  test('with another body, or to another operation, is 422', async () => {
    const key = randomUUID();
    const name = `once${randomUUID()}`;
    await keyed('POST', '/pets', key, { body: pet(name) });
    const others = [
      await keyed('POST', '/pets', key, { body: pet('Max') }),
      await keyed('POST', '/categories', key, { body: { name: 'Dogs' } }),
      await keyed('DELETE', '/pets/1', key),
    ];
    for (const { status, body } of others) {
      expect([status, body.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
      expect(body.message).toBe(
        'This Idempotency-Key was used for another request within the last 24 hours. Use a new key for a new request.',
      );
    }
    expect(await isThere(name)).toBe(1);
  });

  test('with the same body in another layout is the same request', async () => {
    const key = randomUUID();
    const first = await keyed('POST', '/pets', key, { body: `{"name":"Rex","categoryId":${categoryId}}` });
    const spaced = await keyed('POST', '/pets', key, { body: `{ "name": "Rex",\n "categoryId": ${categoryId} }` });
    expect(seen(spaced)).toEqual(seen(first));
  });

  test('the key with and without quotes is the same', async () => {
    const key = randomUUID();
    const first = await keyed('POST', '/pets', `"${key}"`, { body: pet() });
    expect(seen(await keyed('POST', '/pets', key, { body: pet() }))).toEqual(seen(first));
  });

  test.each(['', '""', 'a"b', '"a', 'a\\b', 'ü', 'x'.repeat(256)])('the key %j is invalid: 400', async (key) => {
    const name = `none${randomUUID()}`;
    const { status, body } = await keyed('POST', '/pets', key, { body: pet(name) });
    expect([status, body.code]).toEqual([400, 'INVALID_ARGUMENT']);
    expect(body.message).toMatch(/^Idempotency-Key must be 1 to 255 visible ASCII characters/);
    expect(await isThere(name)).toBe(0);
  });

  test('has no effect on a GET', async () => {
    const { status, headers } = await keyed('GET', '/pets', randomUUID());
    expect([status, headers.get('idempotent-replayed')]).toEqual([200, null]);
  });

  test('sent many times at once with one key is done once; the others are 409, or replay its response', async () => {
    const petId = await countedPet(100);
    const body = { petId, quantity: 1 };
    for (let round = 0; round < 5; round++) {
      const key = randomUUID();
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => keyed('POST', '/store/orders', key, { body })),
      );
      const codes = new Set(answers.map(({ status, body }) => (status === 201 ? `order ${body.id}` : body.code)));
      codes.delete('IDEMPOTENCY_CONFLICT');
      expect([...codes]).toHaveLength(1);
      for (const { status, headers } of answers) {
        if (status !== 201) expect([status, headers.get('retry-after')]).toEqual([409, '1']);
      }
      expect((await keyed('POST', '/store/orders', key, { body })).status).toBe(201);
      expect(await stockOf(petId)).toBe(99 - round);
    }
  });

  test('sent many times at once with different keys is done each time', async () => {
    const petId = await countedPet(50);
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => keyed('POST', '/store/orders', randomUUID(), { body: { petId } })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(201));
    expect(await stockOf(petId)).toBe(0);
  });

  test('can be repeated after 24 hours', async () => {
    const key = randomUUID();
    const name = `old${randomUUID()}`;
    const age = (hours: number) =>
      app.database.transaction((query) =>
        query(`update idempotency_keys set created_at = now() - interval '${hours} hours' where key = $1`, [key]),
      );
    await keyed('POST', '/pets', key, { body: pet(name) });
    await age(23.9);
    expect(isReplay(await keyed('POST', '/pets', key, { body: pet(name) }))).toBe(true);
    await age(24.1);
    const anew = await keyed('POST', '/pets', key, { body: pet(name) });
    expect([anew.status, isReplay(anew)]).toEqual([201, false]);
    expect(isReplay(await keyed('POST', '/pets', key, { body: pet(name) }))).toBe(true);
    expect(await isThere(name)).toBe(2);
  });

  test('is deleted after 24 hours, even if it is never sent again', async () => {
    const [old, young] = [randomUUID(), randomUUID()];
    const run = (text: string, parameters: readonly string[]) =>
      app.database.transaction((query) => query(text, parameters));
    for (const key of [old, young]) await keyed('POST', '/pets', key, { body: pet() });
    await run("update idempotency_keys set created_at = now() - interval '24.1 hours' where key = $1", [old]);
    await app.begin();
    const kept = () => run('select key from idempotency_keys where key in ($1, $2)', [old, young]);
    await expect.poll(kept).toEqual([[young]]);
    await app.flush();
  });
});

describe('a GraphQL mutation with an Idempotency-Key', () => {
  const create = 'mutation ($pet: NewPet!) { createPet(pet: $pet) { id name version category { name } } }';

  async function ask(key: string, query: string, variables: object = {}) {
    const request = { method: 'POST', body: JSON.stringify({ query, variables }) };
    const headers = { 'content-type': 'application/json', 'idempotency-key': key };
    const response = await app.fetch(new Request('http://pets.example/graphql', { ...request, headers }));
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, ...JSON.parse(text) };
  }

  test('is done once, even when its operation is compiled', async () => {
    for (let n = 0; n < 15; n++) {
      const key = randomUUID();
      const name = `g${randomUUID()}`;
      const first = await ask(key, create, { pet: pet(name) });
      expect(first.data.createPet).toMatchObject({ name, version: 1, category: { name: 'Dogs' } });
      const replay = await ask(key, create, { pet: pet(name) });
      expect([replay.text, replay.status, isReplay(replay)]).toEqual([first.text, 200, true]);
      expect(await isThere(name)).toBe(1);
    }
  });

  test('keeps the successful changes beside a rejected one', async () => {
    const key = randomUUID();
    const petId = await countedPet(3);
    const query = `mutation ($petId: Int64!) {
      one: placeOrder(order: { petId: $petId, quantity: 2 }) { quantity }
      two: placeOrder(order: { petId: $petId, quantity: 2 }) { quantity }
      three: placeOrder(order: { petId: $petId, quantity: 1 }) { quantity }
    }`;
    const first = await ask(key, query, { petId });
    expect(first.errors).toHaveLength(1);
    expect(first.errors[0].extensions.code).toBe('OUT_OF_STOCK');
    expect(await stockOf(petId)).toBe(1);
    const again = await ask(key, query, { petId });
    expect([again.text, isReplay(again)]).toEqual([first.text, true]);
    expect(await stockOf(petId)).toBe(1);
  });

  test('never deadlocks with others of its process that change the same rows in the opposite order', async () => {
    const pets = [await countedPet(100), await countedPet(100)];
    const query = `mutation ($one: Int64!, $two: Int64!) {
      one: placeOrder(order: { petId: $one }) { id } two: placeOrder(order: { petId: $two }) { id }
    }`;
    const orders = Array.from({ length: 30 }, (_, n) => {
      const [one, two] = n % 2 === 0 ? pets : [...pets].reverse();
      return ask(randomUUID(), query, { one, two });
    });
    expect((await Promise.all(orders)).flatMap(({ errors = [] }) => errors)).toEqual([]);
    expect(await Promise.all(pets.map(stockOf))).toEqual([70, 70]);
  });

  test('keeps the successful changes beside one that the database rejected', async () => {
    const name = `beside${randomUUID()}`;
    const query = `mutation ($one: NewPet!, $two: NewPet!) {
      one: createPet(pet: $one) { name } two: createPet(pet: $two) { name } three: createPet(pet: $one) { name }
    }`;
    const variables = { one: pet(name), two: { name, categoryId: 999_999 } };
    const key = randomUUID();
    const first = await ask(key, query, variables);
    expect(first.errors.map(({ extensions }: { extensions: { code: string } }) => extensions.code)).toEqual([
      'UNKNOWN_REFERENCE',
    ]);
    // The third change is not made after the second has failed: GraphQL, section 6.2.2.
    expect(await isThere(name)).toBe(1);
    expect((await ask(key, query, variables)).text).toBe(first.text);
    expect(await isThere(name)).toBe(1);
  });

  test('still needs a valid operationName', async () => {
    const petId = await countedPet(10);
    const query = 'mutation ($petId: Int64!) { placeOrder(order: { petId: $petId }) { id } }';
    const key = randomUUID();
    const send = (operationName: string | null) => {
      const headers = { 'content-type': 'application/json', 'idempotency-key': key };
      const body = JSON.stringify({ query, variables: { petId }, operationName });
      return app.fetch(new Request('http://pets.example/graphql', { method: 'POST', headers, body }));
    };
    for (let n = 0; n < 5; n++) {
      await send(null);
      await send('');
    }
    expect(await stockOf(petId)).toBe(9);
  });

  test('with other variables is IDEMPOTENCY_KEY_REUSED; a request that is rejected before it runs leaves the key unused', async () => {
    const key = randomUUID();
    expect((await ask(key, create, { pet: { nam: 'Rex' } })).errors[0].extensions.code).toBe('VALIDATION_FAILED');
    expect((await ask(key, 'mutation { nothing }')).errors[0].extensions.code).toBe('GRAPHQL_VALIDATION_FAILED');
    expect((await ask(key, create, { pet: pet() })).data.createPet.name).toBe('Rex');
    const reused = await ask(key, create, { pet: pet('Max') });
    expect(reused.errors[0].extensions).toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED', status: 422 });
    expect(reused.data).toBeUndefined();
  });

  test('a query is executed each time', async () => {
    const key = randomUUID();
    expect(isReplay(await ask(key, '{ pets { totalCount } }'))).toBe(false);
    expect(isReplay(await ask(key, '{ pets { totalCount } }'))).toBe(false);
  });

  test('an invalid key is rejected', async () => {
    const { errors } = await ask('a"b', create, { pet: pet() });
    expect(errors[0].extensions).toMatchObject({ code: 'INVALID_ARGUMENT', status: 400 });
  });
});
