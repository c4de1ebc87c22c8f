import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RestOptions, startTestApp, type TestApp } from '../../../support/app.ts';
import { sampleOf } from '../../../support/cases.ts';
import { badAddresses, badHeaders, badQueries } from './addresses.ts';
import { badBodies } from './bodies.ts';
import { operations, ROWS } from './operations.ts';

let app: TestApp;
/** What was stored after the last test that read it. */
let stored: string;

beforeAll(async () => {
  app = await startTestApp();
  await makeRows();
  stored = await checksum();
});
afterAll(() => app.dispose());

async function makeRows(): Promise<void> {
  const create = async (path: string, body: object) => (await app.rest('POST', path, { body })).body.id;
  const made = {
    first: await create('/categories', { name: 'Dogs', description: 'Loyal.' }),
    categoryId: await create('/categories', { name: 'Cats' }),
    petId: await create('/pets', { name: 'Rex', categoryId: 1 }),
    ordered: await create('/pets', { name: 'Ada', categoryId: 1 }),
    orderId: 0,
    webhookId: await create('/webhooks', { url: 'https://shop.example/' }),
  };
  for (const petId of [made.petId, made.ordered]) {
    await app.rest('PUT', `/store/inventory/${petId}`, { body: { quantity: 5 } });
  }
  made.orderId = await create('/store/orders', { petId: made.ordered, shipDate: '2026-12-01T00:00:00Z' });
  expect(made).toEqual({ first: 1, ...ROWS });
}

/** A digest of everything that is stored. */
async function checksum(): Promise<string> {
  const sum = (table: string, key: string) =>
    `(select md5(coalesce(string_agg(t::text, chr(10) order by ${key}), '')) from ${table} t)`;
  const [row] = await app.database.transaction((query) =>
    query(
      `select ${sum('categories', 'id')}, ${sum('pets', 'id')}, ${sum('orders', 'id')}, ${sum('inventory', 'pet_id')}, ${sum('webhooks', 'id')}`,
      [],
    ),
  );
  return String(row);
}

/** Each field of each operation with some bad value, and each bad value in some operation: the rules are the engine's. */
const badRequests = sampleOf(
  operations.flatMap((operation) =>
    [...badHeaders(), ...badAddresses(operation), ...badQueries(operation), ...badBodies(operation)].map((bad) => ({
      operation,
      bad,
    })),
  ),
  ({ operation, bad }) => [operation.operationId, bad.code, bad.title.split(/[:=]/, 1)].join(' '),
  ({ bad }) => bad.title,
);

/** The rows of a table of tests, by title. */
function titled<Row>(rows: readonly Row[], titleOf: (row: Row) => string): [title: string, row: Row][] {
  return rows.map((row) => [titleOf(row), row]);
}

describe('the valid requests that the bad ones are made from', () => {
  test('cover every operation with a body, and every field of it', () => {
    expect(operations.length).toBeGreaterThan(20);
    for (const { operationId, schema, body } of operations) {
      const hint = `Complete its body in test/service/rest/bad-input/operations.ts: ${operationId}`;
      expect(Object.keys(body ?? {}).toSorted(), hint).toEqual(Object.keys(schema?.properties ?? {}).toSorted());
    }
  });
});

describe.each(titled(operations, ({ operationId }) => operationId))(
  '%s rejects, and changes nothing',
  (_, operation) => {
    const own = badRequests.filter((one) => one.operation === operation).map(({ bad }) => bad);
    test.each(titled(own, ({ title }) => title))('%s', async (_, bad) => {
      const { address, options, code, status, names } = bad;
      const good: RestOptions = operation.body === undefined ? {} : { body: operation.body };
      // What a case leaves out is as in the valid request; `options: {}` is a request without a body.
      const given = options?.headers?.accept === undefined ? options : { ...good, ...options };
      const answer = await app.rest(operation.method, address ?? operation.address, given ?? good);
      expect({ status: answer.status, body: answer.body }).toEqual({
        status,
        body: {
          code,
          message: typeof names === 'string' ? expect.stringContaining(names) : expect.stringMatching(names),
          status,
        },
      });
      expect(answer.body.message.length).toBeLessThan(1_000);
      expect(answer.body.message).not.toMatch(/\$|\bselect\b|SQLSTATE|syntax for type|Variable |\n\s+at /i);
      expect(answer.body.message).not.toContain('Infinity');
      expect(await checksum()).toBe(stored);
    });
  },
);

const withBody = operations.filter(({ body }) => body !== undefined);

describe.each(titled(withBody, ({ operationId }) => operationId))(
  '%s rejects, and changes nothing,',
  (_, operation) => {
    test('bytes that are not UTF-8', async () => {
      const before = await checksum();
      const text = Buffer.from(JSON.stringify(operation.body));
      for (const bytes of [Buffer.from('{"name":"\xe9t\xe9"}', 'latin1'), Buffer.concat([Buffer.from([0xff]), text])]) {
        const response = await app.fetch(
          new Request(`http://pets.example${operation.address}`, {
            method: operation.method,
            headers: { 'content-type': 'application/json' },
            body: new Uint8Array(bytes),
          }),
        );
        expect(response.status).toBe(400);
        expect(await response.json()).toEqual({
          code: 'MALFORMED_JSON',
          message: expect.stringContaining('UTF-8'),
          status: 400,
        });
      }
      expect(await checksum()).toBe(before);
    });

    test('a body without Content-Type', async () => {
      const before = await checksum();
      const body = new TextEncoder().encode(JSON.stringify(operation.body));
      const response = await app.fetch(
        new Request(`http://pets.example${operation.address}`, { method: operation.method, body }),
      );
      expect(response.status).toBe(415);
      expect(await response.json()).toEqual({
        code: 'UNSUPPORTED_MEDIA_TYPE',
        message: expect.stringMatching(/application\/json.*none was sent/),
        status: 415,
      });
      expect(await checksum()).toBe(before);
    });
  },
);

describe('Content-Type', () => {
  const category = { name: 'Fish' };
  const create = (type: string) => ({ body: category, headers: { 'content-type': `application/json; ${type}` } });

  test.each([
    'charset=iso-8859-1',
    'charset="UTF-16"',
    'Charset = windows-1252',
    'charset=utf-8; charset=latin1',
    'charset=',
  ])('%s is 415 on both protocols, and the message names UTF-8', async (type) => {
    const before = await checksum();
    const { status, body } = await app.rest('POST', '/categories', create(type));
    expect([status, body.code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
    expect(body.message).toMatch(/^The body must be in UTF-8, as JSON is; Content-Type says charset "/);
    const query = { query: 'mutation { createCategory(category: { name: "Fish" }) { id } }' };
    const request = new Request('http://pets.example/graphql', {
      method: 'POST',
      headers: { 'content-type': `application/json; ${type}` },
      body: JSON.stringify(query),
    });
    const response = await app.fetch(request);
    expect([response.status, JSON.stringify(await response.json())]).toEqual([415, expect.stringContaining('UTF-8')]);
    expect(await checksum()).toBe(before);
  });

  test.each(['charset=utf-8', 'charset="UTF-8"', 'profile="x"', 'profile="; charset=latin1"'])(
    '%s is accepted',
    async (type) => {
      expect((await app.rest('POST', '/categories', create(type))).status).toBe(201);
    },
  );
});

describe('several values of a parameter, sent in another way than its name repeated', () => {
  test.each([
    [
      'status=available,sold',
      'status must be one of available, pending, sold, not "available,sold"; for several, repeat the parameter: status=available&status=sold.',
    ],
    ['status[]=available&status[]=sold', /^"status\[\]" is not .*; for several, repeat status without brackets\.$/],
    ['status%5B0%5D=available', /^"status\[0\]" is not .*; for several, repeat status without brackets\.$/],
    ['page[]=1', /^"page\[\]" is not a parameter of this operation, which accepts [^;]*\.$/],
  ])('%s is 400, and the message says how to send them', async (search, message) => {
    const { status, body } = await app.rest('GET', `/pets?${search}`);
    expect(status).toBe(400);
    expect(body.message).toMatch(message);
  });
});

describe('a path that ends with / in place of an id', () => {
  test.each(['/pets/', '/categories/', '/store/orders/', '/store/inventory/'])(
    '%s is 404: neither the list nor a row',
    async (address) => {
      const before = await checksum();
      for (const method of ['GET', 'PUT', 'PATCH', 'DELETE', 'POST']) {
        const { status, body } = await app.rest(method, address, method === 'GET' ? {} : { body: { name: 'Fish' } });
        expect({ method, status, code: body?.code }).toEqual({ method, status: 404, code: 'NOT_FOUND' });
      }
      expect(await checksum()).toBe(before);
    },
  );
});

describe('the valid requests, after all these', () => {
  const order = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
  // Rows that are referred to go last.
  const last = ['deletePet', 'deleteCategory'];
  const sorted = operations.toSorted(
    (one, other) =>
      order.indexOf(one.method) - order.indexOf(other.method) ||
      last.indexOf(one.operationId) - last.indexOf(other.operationId),
  );

  test.each(titled(sorted, ({ operationId }) => operationId))('%s succeeds', async (_, operation) => {
    if (operation.operationId === 'cancelOrder') await reopen();
    if (operation.operationId === 'deleteCategory') await app.rest('PATCH', '/pets/1', { body: { categoryId: 1 } });
    if (operation.operationId === 'deletePet') await forget();
    const before = await checksum();
    const options = operation.body === undefined ? {} : { body: operation.body };
    const { status } = await app.rest(operation.method, operation.address, options);
    expect(status).toBeLessThan(300);
    // After now, there is nothing to deliver again.
    const isRead = operation.method === 'GET' || operation.operationId === 'redeliverEvents';
    expect((await checksum()) === before).toBe(isRead);
  });

  /** By then the order is complete, and a complete one is final. */
  async function reopen(): Promise<void> {
    await app.database.transaction((query) => query('update orders set complete = false where id = 1', []));
    await app.database.transaction((query) => query('update inventory set open_orders = 1 where pet_id = 2', []));
  }

  /** By then there is an order for the pet. */
  async function forget(): Promise<void> {
    await app.database.transaction((query) => query('delete from orders where pet_id = 1', []));
  }
});
