import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../support/app.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.dispose());

/** What a client may do; numbers choose among what is there. */
const act = fc.oneof(
  fc.record({ kind: fc.constant('place' as const), quantity: fc.integer({ min: 1, max: 6 }), complete: fc.boolean() }),
  fc.record({ kind: fc.constant('cancel' as const), which: fc.nat(99) }),
  fc.record({ kind: fc.constant('complete' as const), which: fc.nat(99) }),
  fc.record({ kind: fc.constant('resize' as const), which: fc.nat(99), quantity: fc.integer({ min: 1, max: 6 }) }),
);
type Act = typeof act extends fc.Arbitrary<infer Value> ? Value : never;

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

/** Does one act by REST; answers with the change of stock that its answer promises. */
async function perform(doing: Act, petId: number, orders: Map<number, Ordered>): Promise<void> {
  if (doing.kind === 'place') {
    const { quantity, complete } = doing;
    const { status, body } = await app.rest('POST', '/store/orders', { body: { petId, quantity, complete } });
    expect([201, 409]).toContain(status);
    if (status === 201) orders.set(body.id, body);
    return;
  }
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

test('stock plus what open and complete orders hold always adds up, and the status follows the stock', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 30 }),
      fc.array(fc.array(act, { maxLength: 8 }), { maxLength: 5 }),
      async (begin, clients) => {
        const petId = await newPet(begin);
        const orders = new Map<number, Ordered>();
        await Promise.all(
          clients.map(async (acts) => {
            for (const doing of acts) await perform(doing, petId, orders);
          }),
        );
        const placed = await everyOrder(petId);
        expect(new Set(placed.map(({ id }) => id))).toEqual(new Set(orders.keys()));
        const { quantity, status } = (await app.rest('GET', `/store/inventory/${petId}`)).body;
        expect(quantity + placed.reduce((sum, order) => sum + order.quantity, 0)).toBe(begin);
        expect(quantity).toBeGreaterThanOrEqual(0);
        const isOpen = placed.some(({ complete }) => !complete);
        expect(status).toBe(quantity > 0 ? 'available' : isOpen ? 'pending' : 'sold');
        expect((await app.rest('GET', `/pets/${petId}`)).body.status).toBe(status);
      },
    ),
    { numRuns: 30 },
  );
});

test('a restock replaces the count, whatever moves at the same time: what is placed after adds up again', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(act, { maxLength: 8 }),
      fc.integer({ min: 0, max: 20 }),
      fc.array(act, { maxLength: 8 }),
      async (before, restock, after) => {
        const petId = await newPet(10);
        const orders = new Map<number, Ordered>();
        const perClient = before.map((doing) => perform(doing, petId, orders));
        await Promise.all([...perClient, app.rest('PUT', `/store/inventory/${petId}`, { body: { quantity: 10 } })]);
        await app.rest('PUT', `/store/inventory/${petId}`, { body: { quantity: restock } });
        const held = (await everyOrder(petId)).reduce((sum, order) => sum + order.quantity, 0);
        for (const doing of after) await perform(doing, petId, orders);
        const stillHeld = (await everyOrder(petId)).reduce((sum, order) => sum + order.quantity, 0);
        const { quantity } = (await app.rest('GET', `/store/inventory/${petId}`)).body;
        expect(quantity).toBe(restock + held - stillHeld);
      },
    ),
    { numRuns: 20 },
  );
});
