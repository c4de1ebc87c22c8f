import { describe, expect, test } from 'vitest';
import { startTestApp } from '../../support/app.ts';
import { watched } from '../../support/watched.ts';
import { app, cancel, count, makePet, patch, place, read, startShop, stock } from './shop.ts';

const GREATEST = 2_147_483_647;

startShop();

describe('the cancellation or change of an order', () => {
  test('cancelling an open order returns its quantity to the stock', async () => {
    const petId = await makePet(5);
    const { id } = await place({ petId, quantity: 5 });
    expect(await stock(petId)).toEqual([0, 'pending']);
    const { status, text, headers } = await cancel(id);
    expect({ status, text }).toEqual({ status: 204, text: '' });
    expect(headers.get('content-type')).toBeNull();
    expect(await stock(petId)).toEqual([5, 'available']);
    expect((await app.rest('GET', `/store/orders/${id}`)).body.message).toBe(`No order has the id ${id}.`);
  });

  test('the quantity is returned once, however often the order is cancelled', async () => {
    const petId = await makePet(5);
    const { id } = await place({ petId, quantity: 2 });
    const statuses = (await Promise.all([cancel(id), cancel(id), cancel(id)])).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([204, 404, 404]);
    const again = await cancel(id);
    expect(again.status).toBe(404);
    expect(again.body).toEqual({ code: 'NOT_FOUND', message: `No order has the id ${id}.`, status: 404 });
    expect(await stock(petId)).toEqual([5, 'available']);
  });

  test.each([
    ['placed so', { complete: true }],
    ['completed later', {}],
  ])('a complete order cannot be changed or cancelled (%s)', async (_, fields) => {
    const petId = await makePet(5);
    const order = await place({ petId, quantity: 2, ...fields });
    if (!order.complete) expect((await patch(order.id, { complete: true })).status).toBe(200);
    const message = `Order ${order.id} is complete and cannot be changed or cancelled.`;
    const changes = [{ quantity: 1 }, { complete: false }, { complete: true }, { shipDate: null }, {}];
    for (const answer of [
      ...(await Promise.all(changes.map((each) => patch(order.id, each)))),
      await cancel(order.id),
    ]) {
      expect(answer.status).toBe(409);
      expect(answer.body).toEqual({ code: 'ORDER_COMPLETE', message, status: 409 });
    }
    expect(await read(order.id)).toEqual({ ...order, complete: true });
    expect(await stock(petId)).toEqual([3, 'available']);
  });

  test('a complete draft is final too', async () => {
    const { id } = await place({ complete: true });
    expect((await patch(id, { quantity: 2 })).body.code).toBe('ORDER_COMPLETE');
    expect((await cancel(id)).body.code).toBe('ORDER_COMPLETE');
  });

  test('a wrong version is reported before the order is found to be complete', async () => {
    const { id } = await place({ complete: true });
    const headers = { 'if-match': '"9"' };
    const changed = await app.rest('PATCH', `/store/orders/${id}`, { body: { quantity: 2 }, headers });
    const cancelled = await app.rest('DELETE', `/store/orders/${id}`, { headers });
    for (const { status, body } of [changed, cancelled])
      expect([status, body.code]).toEqual([412, 'PRECONDITION_FAILED']);
  });

  test('a changed quantity changes the stock by the difference', async () => {
    const petId = await makePet(10);
    const { id } = await place({ petId, quantity: 4 });
    for (const [quantity, left, status] of [
      [6, 4, 'available'],
      [6, 4, 'available'],
      [1, 9, 'available'],
      [10, 0, 'pending'],
      [9, 1, 'available'],
    ] as const) {
      expect((await patch(id, { quantity })).body).toEqual({ id, petId, quantity, complete: false });
      expect(await stock(petId)).toEqual([left, status]);
    }
  });

  test('a quantity and its completion change in one step', async () => {
    const petId = await makePet(3);
    const { id } = await place({ petId });
    expect((await patch(id, { quantity: 3, complete: true })).body).toEqual({ id, petId, quantity: 3, complete: true });
    expect(await stock(petId)).toEqual([0, 'sold']);
  });

  test('a quantity beyond the stock is OUT_OF_STOCK, and neither the order nor the stock changes', async () => {
    const petId = await makePet(5);
    const order = await place({ petId, quantity: 4, shipDate: '2026-12-01T00:00:00Z' });
    const { status, body } = await patch(order.id, { quantity: 6, shipDate: null, complete: true });
    expect(status).toBe(409);
    const message = `Pet ${petId} has 1 in stock, besides the 4 of this order; the quantity is 6.`;
    expect(body).toEqual({ code: 'OUT_OF_STOCK', message, status: 409 });
    expect(await read(order.id)).toEqual(order);
    expect(await stock(petId)).toEqual([1, 'available']);
    expect((await patch(order.id, { quantity: 5 })).status).toBe(200);
  });

  test('a change that needs no more stock is never OUT_OF_STOCK, even if another is just making its expected version', async () => {
    const { id } = await place({ petId: await makePet(5) });
    const body = { shipDate: '2026-12-01T00:00:00Z' };
    const early = app.rest('PATCH', `/store/orders/${id}`, { body, headers: { 'if-match': '"2"' } });
    const [answer] = await Promise.all([early, patch(id, { quantity: 2 })]);
    expect(answer.body.code).not.toBe('OUT_OF_STOCK');
  });

  test('a change that failed just before enough came into stock is to be tried again, not OUT_OF_STOCK', async () => {
    let restock = async () => {};
    const shop = await startTestApp({}, {}, (database) =>
      watched(database, async ({ text }, run) => {
        const rows = await run();
        if (text.includes('update orders set')) await restock();
        return rows;
      }),
    );
    const send = async (method: string, path: string, body: object) => (await shop.rest(method, path, { body })).body;
    const { id: categoryId } = await send('POST', '/categories', { name: 'Dogs' });
    const { id: petId } = await send('POST', '/pets', { name: 'Rex', categoryId });
    await send('PUT', `/store/inventory/${petId}`, { quantity: 5 });
    const { id } = await send('POST', '/store/orders', { petId });
    restock = async () => void (await send('PUT', `/store/inventory/${petId}`, { quantity: 49 }));
    const { status, headers, body } = await shop.rest('PATCH', `/store/orders/${id}`, { body: { quantity: 50 } });
    expect([status, body.code, headers.get('retry-after')]).toEqual([409, 'CONFLICT', '1']);
    await shop.dispose();
  });

  test('an order for a pet that is no longer tracked does not change any stock', async () => {
    const petId = await makePet(5);
    const { id } = await place({ petId, quantity: 2 });
    await app.rest('DELETE', `/store/inventory/${petId}`);
    expect((await patch(id, { quantity: 1000 })).status).toBe(200);
    expect((await cancel(id)).status).toBe(204);
    expect((await app.rest('GET', `/store/inventory/${petId}`)).status).toBe(404);
  });
});

describe('a stock that would exceed 2147483647 is a conflict, never an internal error', () => {
  const tooMuch = {
    code: 'CONFLICT',
    message: 'The stock would exceed its maximum of 2147483647.',
    status: 409,
  };

  test.each([
    ['cancelling', (id: number) => cancel(id)],
    ['ordering less', (id: number) => patch(id, { quantity: 1 })],
    ['ordering less and completing', (id: number) => patch(id, { quantity: 1, complete: true })],
  ])('%s', async (_, change) => {
    const petId = await makePet(5);
    const order = await place({ petId, quantity: 3 });
    await count(petId, GREATEST - 1);
    const { status, body } = await change(order.id);
    expect(status).toBe(409);
    expect(body).toEqual(tooMuch);
    expect(await read(order.id)).toEqual(order);
    expect(await stock(petId)).toEqual([GREATEST - 1, 'available']);

    await count(petId, GREATEST - 3);
    expect((await change(order.id)).status).toBeLessThan(300);
  });

  test('the maximum stock can be ordered and returned', async () => {
    const petId = await makePet(GREATEST);
    const { id } = await place({ petId, quantity: GREATEST });
    expect(await stock(petId)).toEqual([0, 'pending']);
    expect((await cancel(id)).status).toBe(204);
    expect(await stock(petId)).toEqual([GREATEST, 'available']);
  });
});
