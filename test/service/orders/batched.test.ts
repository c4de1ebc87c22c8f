import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { databaseKind } from '../../support/database.ts';

const UNKNOWN = 999_999_999_999;
const BEYOND_DOUBLES = 9_007_199_254_740_993n;

let app: TestApp;
let categoryId: number;

beforeAll(async () => {
  app = await startTestApp();
  categoryId = (await app.rest('POST', '/categories', { body: { name: 'Dogs' } })).body.id;
});
afterAll(() => app.dispose());

/** Pets with these quantities in stock and one order each, so that later orders do not change their statuses. */
async function makePets(...quantities: readonly number[]): Promise<number[]> {
  const ids: number[] = [];
  for (const quantity of quantities) {
    const { id } = (await app.rest('POST', '/pets', { body: { name: 'Rex', categoryId } })).body;
    await app.rest('PUT', `/store/inventory/${id}`, { body: { quantity } });
    ids.push(id);
  }
  app.statements.length = 0;
  return ids;
}

const place = (body: object) => app.rest('POST', '/store/orders', { body });
const left = async (petId: number) => (await app.rest('GET', `/store/inventory/${petId}`)).body.quantity;

describe('concurrent orders', () => {
  test('are placed in one batch, each as it was sent', async () => {
    const pets = await makePets(5, 6, 7, 8);
    const sent = pets.map((petId, n) => ({
      petId,
      quantity: n + 1,
      shipDate: `2027-03-0${n + 1}T10:00:00.00${n}Z`,
      complete: n % 2 === 1,
    }));
    const answers = await Promise.all(sent.map(place));
    expect(app.statements).toEqual(['orders.placeMany']);
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    for (const [n, { body }] of answers.entries()) {
      expect(body).toEqual({ id: expect.any(Number), ...sent[n] });
      expect((await app.rest('GET', `/store/orders/${body.id}`)).body).toEqual(body);
    }
    expect(await Promise.all(pets.map(left))).toEqual([4, 4, 4, 4]);
  });

  test('fail separately: a rejected order does not affect the others', async () => {
    const [first, second, empty] = await makePets(1, 2, 0);
    const answers = await Promise.all([
      place({ petId: first }),
      place({ petId: UNKNOWN }),
      place({ petId: empty }),
      place({ petId: second, quantity: 3 }),
      place({ petId: second, quantity: 2 }),
      place({ petId: BEYOND_DOUBLES }),
      place({ quantity: 4 }),
    ]);
    expect(answers.map(({ status, body }) => body.code ?? status)).toEqual([
      201,
      'UNKNOWN_REFERENCE',
      'OUT_OF_STOCK',
      'OUT_OF_STOCK',
      201,
      'UNKNOWN_REFERENCE',
      201,
    ]);
    expect(answers[5]?.body.message).toContain(`${BEYOND_DOUBLES}`);
    expect(await Promise.all([first, second, empty].map((id) => left(id as number)))).toEqual([0, 0, 0]);
  });

  test('for a pet that a client has made unavailable are rejected, although some are in stock', async () => {
    const [reserved, other] = await makePets(5, 5);
    await app.rest('PATCH', `/pets/${reserved}`, { body: { status: 'pending' } });
    const answers = await Promise.all([place({ petId: reserved }), place({ petId: other })]);
    expect(answers.map(({ status, body }) => body.code ?? status)).toEqual(['NOT_AVAILABLE', 201]);
    expect(await Promise.all([reserved, other].map((id) => left(id as number)))).toEqual([5, 4]);
  });

  test('of one pet are placed while its stock lasts, and not one more', async () => {
    const [wanted, other] = (await makePets(7, 100)) as [number, number];
    const answers = await Promise.all(Array.from({ length: 40 }, (_, n) => place({ petId: n % 2 ? wanted : other })));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 409)).toHaveLength(13);
    expect(statuses.filter((status) => status === 201)).toHaveLength(27);
    expect([await left(wanted), await left(other)]).toEqual([0, 80]);
  });

  test('that use up the stock set the status of each pet', async () => {
    const pets = await makePets(1, 1, 2);
    await Promise.all(pets.map((petId, n) => place({ petId, complete: n === 1 })));
    const statuses = await Promise.all(pets.map(async (id) => (await app.rest('GET', `/pets/${id}`)).body.status));
    expect(statuses).toEqual(['pending', 'sold', 'available']);
  });

  // The embedded database runs one statement at a time, so no other transaction can hold a lock.
  if (databaseKind === 'server') {
    test('do not wait for an order whose pet is locked', async () => {
      const [held, free, alsoFree] = (await makePets(5, 5, 5)) as [number, number, number];
      const settled: number[] = [];
      let placing: readonly Promise<unknown>[] = [];
      await app.database.transaction(async (query) => {
        await query('select pet_id from inventory where pet_id = $1 for update', [held]);
        placing = [held, free, alsoFree].map(async (petId) => {
          expect((await place({ petId })).status).toBe(201);
          settled.push(petId);
        });
        await Promise.all(placing.slice(1));
        expect(settled.toSorted((one, other) => one - other)).toEqual([free, alsoFree]);
      });
      await Promise.all(placing);
      expect(await Promise.all([held, free, alsoFree].map(left))).toEqual([4, 4, 4]);
    });
  }
});

/** An order of each pet. */
const placeEach = async (pets: readonly number[]): Promise<number[]> => {
  const orders: number[] = [];
  for (const petId of pets) orders.push((await place({ petId })).body.id);
  app.statements.length = 0;
  return orders;
};

const change = (id: number, body: object, headers = {}) => app.rest('PATCH', `/store/orders/${id}`, { body, headers });

describe('concurrently changed orders', () => {
  test('are changed in one batch, and move the stock of each pet', async () => {
    const pets = await makePets(5, 6, 7);
    const orders = await placeEach(pets);
    const draft = (await place({})).body.id;
    app.statements.length = 0;
    const sent = [{ quantity: 3 }, { complete: true }, { shipDate: '2027-03-01T10:00:00Z' }, { quantity: 9 }];
    const answers = await Promise.all([...orders, draft].map((id, n) => change(id, sent[n] as object)));
    expect(app.statements).toEqual(['orders.updateMany']);
    for (const [n, { body }] of answers.entries()) {
      expect(body).toMatchObject({ ...sent[n], ...(n === 2 && { shipDate: '2027-03-01T10:00:00.000Z' }) });
      expect((await app.rest('GET', `/store/orders/${body.id}`)).body).toEqual(body);
    }
    expect(await Promise.all(pets.map(left))).toEqual([2, 5, 6]);
  });

  test('fail separately, each with its own error', async () => {
    const pets = await makePets(5, 2, 2, 2);
    const [first, second, third, done] = (await placeEach(pets)) as [number, number, number, number];
    await change(done, { complete: true });
    const answers = await Promise.all([
      change(first, { quantity: 4 }),
      change(UNKNOWN, { quantity: 1 }),
      change(second, { quantity: 3 }),
      change(third, { quantity: 2 }, { 'if-match': '"7-other"' }),
      change(done, { quantity: 2 }),
    ]);
    expect(answers.map(({ status, body }) => body.code ?? status)).toEqual([
      200,
      'NOT_FOUND',
      'OUT_OF_STOCK',
      'PRECONDITION_FAILED',
      'ORDER_COMPLETE',
    ]);
    expect(await Promise.all(pets.map(left))).toEqual([1, 1, 1, 1]);
  });

  test('of one pet move its stock once each, and never more than is left', async () => {
    const [wanted, other] = (await makePets(10, 10)) as [number, number];
    const orders = await placeEach([wanted, wanted, wanted, wanted, wanted, other]);
    const answers = await Promise.all(orders.map((id) => change(id, { quantity: 3 })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 409, 409, 409]);
    expect(await Promise.all([wanted, other].map(left))).toEqual([1, 7]);
  });
});

describe('concurrently replaced stock', () => {
  const replace = (petId: number, body: object) => app.rest('PUT', `/store/inventory/${petId}`, { body });

  test('is replaced in one statement, whether or not a pet had an entry, and sets the status of each pet', async () => {
    const [full, sold, ordered] = (await makePets(5, 5, 1)) as [number, number, number];
    await placeEach([ordered]);
    const { id: fresh } = (await app.rest('POST', '/pets', { body: { name: 'Rex', categoryId } })).body;
    const known = await placeEach([(await app.rest('POST', '/pets', { body: { name: 'Max', categoryId } })).body.id]);
    const untracked = (await app.rest('GET', `/store/orders/${known[0]}`)).body.petId;
    app.statements.length = 0;
    const pets = [full, sold, ordered, fresh, untracked];
    const answers = await Promise.all(pets.map((petId, n) => replace(petId, { quantity: [8, 0, 4, 2, 0][n] })));
    expect(app.statements).toEqual(['inventory.replaceMany']);
    expect(answers.map(({ status, body }) => [status, body])).toEqual([
      [200, { petId: full, quantity: 8, status: 'available' }],
      [200, { petId: sold, quantity: 0, status: 'sold' }],
      [200, { petId: ordered, quantity: 4, status: 'available' }],
      [201, { petId: fresh, quantity: 2, status: 'available' }],
      [201, { petId: untracked, quantity: 0, status: 'pending' }],
    ]);
  });

  test('fails separately: an unknown pet, another status, and a repeated pet', async () => {
    const [first, second] = (await makePets(5, 5)) as [number, number];
    const answers = await Promise.all([
      replace(first, { quantity: 7 }),
      replace(UNKNOWN, { quantity: 7 }),
      replace(second, { quantity: 7, status: 'sold' }),
      replace(first, { quantity: 8 }),
    ]);
    expect(answers.map(({ status, body }) => body.code ?? status)).toEqual([
      200,
      'NOT_FOUND',
      'VALIDATION_FAILED',
      200,
    ]);
    expect(await Promise.all([first, second].map(left))).toEqual([8, 5]);
  });

  if (databaseKind === 'server') {
    test('does not wait for one whose entry another transaction has locked', async () => {
      const [held, free] = (await makePets(5, 5)) as [number, number];
      const [, order] = await placeEach([held, free]);
      let waiting: Promise<unknown>[] = [];
      await app.database.transaction(async (query) => {
        await query('select pet_id from inventory where pet_id = $1 for update', [held]);
        const counted = replace(free, { quantity: 9 });
        waiting = [replace(held, { quantity: 9 })];
        expect((await counted).status).toBe(200);
        // Otherwise the batch would have waited, and each would have been replaced on its own.
        expect(app.statements).toEqual(['inventory.replaceMany']);
        expect((await change(order as number, { quantity: 2 })).status).toBe(200);
      });
      await Promise.all(waiting);
      expect(await Promise.all([held, free].map(left))).toEqual([9, 8]);
    });
  }
});
