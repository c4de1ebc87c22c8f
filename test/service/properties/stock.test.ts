import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { runsOf } from '../../support/cases.ts';
import { untilOthersWait } from '../../support/locks.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.dispose());

/** An action of a client on an order; the numbers choose one of the existing orders. */
const orderAct = fc.oneof(
  fc.record({ kind: fc.constant('place' as const), quantity: fc.integer({ min: 1, max: 6 }), complete: fc.boolean() }),
  fc.record({ kind: fc.constant('cancel' as const), which: fc.nat(99) }),
  fc.record({ kind: fc.constant('complete' as const), which: fc.nat(99) }),
  fc.record({ kind: fc.constant('resize' as const), which: fc.nat(99), quantity: fc.integer({ min: 1, max: 6 }) }),
);
/** With restocking, which replaces the quantity; it is left out where the sum is checked. */
const anyAct = fc.oneof(
  { arbitrary: orderAct, weight: 5 },
  { arbitrary: fc.record({ kind: fc.constant('restock' as const), quantity: fc.nat(8) }), weight: 1 },
);
type Act = typeof anyAct extends fc.Arbitrary<infer Value> ? Value : never;

interface Ordered {
  readonly id: number;
  readonly quantity: number;
  readonly complete: boolean;
}

async function newPet(quantity: number): Promise<number> {
  const category = await app.rest('POST', '/categories', { body: { name: 'Any' } });
  const pet = await app.rest('POST', '/pets', { body: { name: 'Rex', categoryId: category.body.id } });
  await app.rest('PUT', `/store/inventory/${pet.body.id}`, { body: { quantity } });
  return pet.body.id;
}

/** Performs one action by REST, and records the existing orders. */
async function perform(doing: Act, petId: number, orders: Map<number, Ordered>): Promise<void> {
  if (doing.kind === 'place') {
    const { quantity, complete } = doing;
    const { status, body } = await app.rest('POST', '/store/orders', { body: { petId, quantity, complete } });
    expect([201, 409]).toContain(status);
    if (status === 201) orders.set(body.id, body);
    return;
  }
  if (doing.kind === 'restock') return restock(petId, doing.quantity);
  const known = [...orders.keys()];
  const id = known[doing.which % known.length];
  if (id === undefined) return;
  const path = `/store/orders/${id}`;
  if (doing.kind === 'cancel') {
    const { status } = await app.rest('DELETE', path);
    expect([204, 404, 409]).toContain(status);
    if (status === 204) orders.delete(id);
    return;
  }
  const changes = doing.kind === 'complete' ? { complete: true } : { quantity: doing.quantity };
  const { status } = await app.rest('PATCH', path, { body: changes });
  expect([200, 404, 409]).toContain(status);
}

async function everyOrder(petId: number): Promise<Ordered[]> {
  return (await app.rest('GET', `/store/orders?petId=${petId}&limit=100`)).body;
}

async function restock(petId: number, quantity: number): Promise<void> {
  const { status } = await app.rest('PUT', `/store/inventory/${petId}`, { body: { quantity } });
  expect(status).toBe(200);
}

/** Several concurrent clients, each of which performs its actions one after another. */
async function performAll(
  clients: readonly (readonly Act[])[],
  petId: number,
  orders: Map<number, Ordered>,
): Promise<void> {
  await Promise.all(
    clients.map(async (acts) => {
      for (const doing of acts) await perform(doing, petId, orders);
    }),
  );
}

/** Checks that the status follows the stock; gives the quantity in stock and the quantity in orders. */
async function takeStock(petId: number, orders: ReadonlyMap<number, Ordered>): Promise<{ left: number; held: number }> {
  const placed = await everyOrder(petId);
  expect(new Set(placed.map(({ id }) => id))).toEqual(new Set(orders.keys()));
  const { quantity, status } = (await app.rest('GET', `/store/inventory/${petId}`)).body;
  const isOpen = placed.some(({ complete }) => !complete);
  expect(quantity).toBeGreaterThanOrEqual(0);
  expect(status).toBe(quantity > 0 ? 'available' : isOpen ? 'pending' : 'sold');
  expect((await app.rest('GET', `/pets/${petId}`)).body.status).toBe(status);
  return { left: quantity, held: placed.reduce((sum, order) => sum + order.quantity, 0) };
}

const clientsOf = (act: fc.Arbitrary<Act>) => fc.array(fc.array(act, { maxLength: 8 }), { maxLength: 5 });

test('the sum of stock, open and complete orders never changes, and the status follows the stock', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(30), clientsOf(orderAct), async (begin, clients) => {
      // The same for several pets at once, whose changes share statements.
      const ofPet = async (quantity: number) => {
        const petId = await newPet(quantity);
        const orders = new Map<number, Ordered>();
        await performAll(clients, petId, orders);
        const { left, held } = await takeStock(petId, orders);
        expect(left + held).toBe(quantity);
      };
      await Promise.all([begin, begin + 1, 3].map(ofPet));
    }),
    { numRuns: runsOf(40) },
  );
});

test('a restock replaces the quantity: later movements add up, and the status follows', async () => {
  await fc.assert(
    fc.asyncProperty(clientsOf(anyAct), fc.nat(20), clientsOf(orderAct), async (before, count, after) => {
      const petId = await newPet(3);
      const orders = new Map<number, Ordered>();
      await performAll(before, petId, orders);
      const { held } = await takeStock(petId, orders);
      await restock(petId, count);
      await performAll(after, petId, orders);
      const then = await takeStock(petId, orders);
      expect(then.left + then.held).toBe(count + held);
    }),
    { numRuns: runsOf(40) },
  );
});

test('a stock movement that had to wait for another sets the status from the stock after it', async () => {
  const petId = await newPet(2);
  const { body: order } = await app.rest('POST', '/store/orders', { body: { petId } });
  let cancelling: Promise<unknown> | undefined;
  await app.database.transaction(async (query) => {
    // Another transaction takes the last one, and has not committed yet.
    await query('update inventory set quantity = 0, open_orders = open_orders + 1 where pet_id = $1', [petId]);
    await query('insert into orders (pet_id) values ($1)', [petId]);
    await query("update pets set status = 'pending' where id = $1", [petId]);
    cancelling = app.rest('DELETE', `/store/orders/${order.id}`);
    await untilOthersWait(query);
  });
  await cancelling;
  expect((await app.rest('GET', `/store/inventory/${petId}`)).body).toEqual({
    petId,
    quantity: 1,
    status: 'available',
  });
});
