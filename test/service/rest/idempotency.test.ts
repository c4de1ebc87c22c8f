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

  test('the key with and without quotes is the same, also one of 255 characters', async () => {
    const key = randomUUID().padEnd(255, '~');
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

  test('can be repeated after 24 hours, or another one be sent with its key', async () => {
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
    await age(24.1);
    const other = await keyed('DELETE', `/pets/${anew.body.id}`, key);
    const replay = await keyed('DELETE', `/pets/${anew.body.id}`, key);
    expect([other.status, isReplay(replay), seen(replay)]).toEqual([204, true, seen(other)]);
  });

  test('is deleted after 24 hours, even if it is never sent again', async () => {
    const [old, young] = [randomUUID(), randomUUID()];
    const run = (text: string, parameters: readonly string[]) =>
      app.database.transaction((query) => query(text, parameters));
    for (const key of [old, young]) await keyed('POST', '/pets', key, { body: pet() });
    // More than are deleted at once.
    await run(
      `insert into idempotency_keys (caller, key, fingerprint, status, headers, created_at)
        select 'Ann', n, '', 204, '[]', now() - interval '25 hours' from generate_series(1, 2000) as n`,
      [],
    );
    await run("update idempotency_keys set created_at = now() - interval '24.1 hours' where key = $1", [old]);
    await app.begin();
    const kept = () => run("select key from idempotency_keys where key in ($1, $2) or caller = 'Ann'", [old, young]);
    await expect.poll(kept).toEqual([[young]]);
    await app.flush();
  });
});
