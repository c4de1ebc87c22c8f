import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { untilOthersWait } from '../../support/locks.ts';
import { app, cancel, count, ids, makePet, type Order, patch, place, startShop, stock } from './shop.ts';

const GREATEST = 2_147_483_647;

startShop();

describe('orders and stock', () => {
  test('an order without petId is a draft and leaves the stock unchanged', async () => {
    const petId = await makePet(5);
    const { id } = await place({ quantity: GREATEST });
    expect((await patch(id, { quantity: 7 })).body).toEqual({ id, quantity: 7, complete: false });
    expect((await cancel(id)).status).toBe(204);
    const completed = await place({});
    expect((await patch(completed.id, { complete: true })).body.complete).toBe(true);
    expect(await stock(petId)).toEqual([5, 'available']);
  });

  test('placing an order for a tracked pet takes its quantity from the stock', async () => {
    const petId = await makePet(5);
    await place({ petId, quantity: 2 });
    expect(await stock(petId)).toEqual([3, 'available']);
    await place({ petId });
    expect(await stock(petId)).toEqual([2, 'available']);
    await place({ petId, quantity: 1, complete: true });
    expect(await stock(petId)).toEqual([1, 'available']);
  });

  test('too little in stock is OUT_OF_STOCK, and nothing changes', async () => {
    const petId = await makePet(2);
    const before = await place({ petId });
    for (const quantity of [2, GREATEST]) {
      const { status, body } = await app.rest('POST', '/store/orders', { body: { petId, quantity } });
      expect(status).toBe(409);
      const message = `Pet ${petId} has 1 in stock; the quantity is ${quantity}.`;
      expect(body).toEqual({ code: 'OUT_OF_STOCK', message, status: 409 });
    }
    expect(await stock(petId)).toEqual([1, 'available']);
    expect(await ids(`petId=${petId}`)).toEqual([before.id]);
    await place({ petId, quantity: 1 });
    expect(await stock(petId)).toEqual([0, 'pending']);
  });

  test('stock is never oversold by concurrent clients', async () => {
    const petId = await makePet(3);
    const clients = Array.from({ length: 8 }, () => app.rest('POST', '/store/orders', { body: { petId } }));
    const statuses = (await Promise.all(clients)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(3);
    expect(statuses.filter((status) => status === 409)).toHaveLength(5);
    expect(await stock(petId)).toEqual([0, 'pending']);
    expect(await ids(`petId=${petId}`)).toHaveLength(3);
  });

  test('concurrent orders, changes and cancellations leave the stock exact', async () => {
    const petId = await makePet(100);
    const orders = await Promise.all(Array.from({ length: 4 }, () => place({ petId, quantity: 3 })));
    const answers = await Promise.all(
      orders.flatMap(({ id }, index) => [
        patch(id, { quantity: 1 + (index % 5) }),
        ...(index % 2 === 0 ? [cancel(id)] : []),
        app.rest('POST', '/store/orders', { body: { petId } }),
      ]),
    );
    expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
    const { body } = await app.rest('GET', `/store/orders?petId=${petId}&limit=100`);
    const ordered = body.reduce((sum: number, order: Order) => sum + order.quantity, 0);
    expect(await stock(petId)).toEqual([100 - ordered, 'available']);
  });

  type Sent = readonly [method: string, path: string, body?: object];
  test.each<[string, (petId: number) => Promise<readonly Sent[]>, readonly number[]]>([
    [
      'an order for a pet and the start of its tracking',
      async (petId) => [
        ['POST', '/store/orders', { petId }],
        ['PUT', `/store/inventory/${petId}`, { quantity: 5 }],
      ],
      [201, 201],
    ],
    [
      'the deletion of a pet and the cancellation of its order',
      async (petId) => {
        const { id } = await place({ petId });
        return [
          ['DELETE', `/pets/${petId}`],
          ['DELETE', `/store/orders/${id}`],
        ];
      },
      [409, 204],
    ],
    [
      'the deletion of a tracked pet and a change of its order',
      async (petId) => {
        await count(petId, 5);
        const { id } = await place({ petId });
        return [
          ['DELETE', `/pets/${petId}`],
          ['PATCH', `/store/orders/${id}`, { quantity: 2 }],
        ];
      },
      [409, 200],
    ],
    [
      'two ends of the tracking of a pet',
      async (petId) => {
        await count(petId, 5);
        return [
          ['DELETE', `/store/inventory/${petId}`],
          ['DELETE', `/store/inventory/${petId}`],
        ];
      },
      [204, 404],
    ],
  ])('%s never wait for each other, and answer as one after another', async (_, prepare, statuses) => {
    const petId = await makePet();
    const requests = await prepare(petId);
    const answers: ReturnType<typeof app.rest>[] = [];
    // They wait for the pet, and go on together. Those with a key take no turns within a process.
    await app.database.transaction(async (query) => {
      await query('select from pets where id = $1 for no key update', [petId]);
      for (const [method, path, body] of requests) {
        answers.push(app.rest(method, path, { body, headers: { 'idempotency-key': randomUUID() } }));
        await untilOthersWait(query, answers.length, '0');
      }
    });
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(statuses);
  });

  test.each([
    [1, 'available'],
    [0, 'sold'],
  ])('an order that waits for the first count of its pet is OUT_OF_STOCK if that is %i', async (left, status) => {
    const petId = await makePet();
    let placing: ReturnType<typeof app.rest> | undefined;
    await app.database.transaction(async (query) => {
      await query('update pets set status = $2 where id = $1', [petId, status]);
      await query('insert into inventory (pet_id, quantity) values ($1, $2)', [petId, left]);
      placing = app.rest('POST', '/store/orders', { body: { petId, quantity: 2 } });
      await untilOthersWait(query);
    });
    expect((await placing)?.body).toMatchObject({
      code: 'OUT_OF_STOCK',
      message: `Pet ${petId} has ${left} in stock; the quantity is 2.`,
    });
  });

  test('an order that waits for a status set by hand is NOT_AVAILABLE', async () => {
    const petId = await makePet();
    let placing: ReturnType<typeof app.rest> | undefined;
    await app.database.transaction(async (query) => {
      await query("update pets set status = 'pending' where id = $1", [petId]);
      placing = app.rest('POST', '/store/orders', { body: { petId } });
      await untilOthersWait(query);
    });
    expect((await placing)?.body.code).toBe('NOT_AVAILABLE');
  });

  test('a pet without an inventory entry can be ordered without limit, and its status stays', async () => {
    const petId = await makePet();
    const { id } = await place({ petId, quantity: GREATEST });
    await place({ petId, quantity: GREATEST, complete: true });
    await app.rest('PATCH', `/pets/${petId}`, { body: { status: 'pending' } });
    await patch(id, { quantity: 1 });
    await cancel(id);
    expect((await app.rest('GET', `/pets/${petId}`)).body.status).toBe('pending');
    expect((await app.rest('GET', `/store/inventory/${petId}`)).status).toBe(404);
  });
});
