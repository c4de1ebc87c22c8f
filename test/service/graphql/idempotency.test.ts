import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';

let app: TestApp;
let categoryId: number;

beforeAll(async () => {
  app = await startTestApp();
  categoryId = (await app.rest('POST', '/categories', { body: { name: 'Dogs' } })).body.id;
});
afterAll(() => app.dispose());

const pet = (name = 'Rex') => ({ name, categoryId });

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

function isReplay({ headers }: { headers: Headers }): boolean {
  return headers.get('idempotent-replayed') === 'true';
}

describe('a GraphQL mutation with an Idempotency-Key', () => {
  const create = 'mutation ($pet: NewPet!) { createPet(pet: $pet) { id name version category { name } } }';

  async function ask(key: string, query: string, variables: object = {}, accept = '*/*') {
    const request = { method: 'POST', body: JSON.stringify({ query, variables }) };
    const headers = { 'content-type': 'application/json', 'idempotency-key': key, accept };
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

  test('is replayed in the media type that the retry accepts, byte for byte', async () => {
    const types = ['application/json', 'application/graphql-response+json'] as const;
    for (const [one, other] of [types, [...types].reverse()] as const) {
      const key = randomUUID();
      const first = await ask(key, create, { pet: pet() }, one);
      const replay = await ask(key, create, { pet: pet() }, other);
      expect([first, replay].map(({ headers }) => headers.get('content-type'))).toEqual(
        [one, other].map((type) => `${type}; charset=utf-8`),
      );
      expect([replay.text, isReplay(replay)]).toEqual([first.text, true]);
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
    const orders = Array.from({ length: 12 }, (_, n) => {
      const [one, two] = n % 2 === 0 ? pets : [...pets].reverse();
      return ask(randomUUID(), query, { one, two });
    });
    expect((await Promise.all(orders)).flatMap(({ errors = [] }) => errors)).toEqual([]);
    expect(await Promise.all(pets.map(stockOf))).toEqual([88, 88]);
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

  test('with another operation of its document is IDEMPOTENCY_KEY_REUSED', async () => {
    const made = (name: string) => `mutation ${name} { createCategory(category: { name: "${name}" }) { name } }`;
    const key = randomUUID();
    const send = async (operationName: string) => {
      const headers = { 'content-type': 'application/json', 'idempotency-key': key };
      const body = JSON.stringify({ query: `${made('A')} ${made('B')}`, operationName });
      return (await app.fetch(new Request('http://pets.example/graphql', { method: 'POST', headers, body }))).json();
    };
    expect(await send('A')).toEqual({ data: { createCategory: { name: 'A' } } });
    expect(await send('B')).toMatchObject({ errors: [{ extensions: { code: 'IDEMPOTENCY_KEY_REUSED' } }] });
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
