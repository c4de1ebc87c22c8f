import { describe, expect, test } from 'vitest';
import { app, cancel, count, makePet, patch, place, startShop, stock } from './shop.ts';

startShop();

describe('stock movements set the status of a tracked pet', () => {
  test('no stock and an open order is pending; no stock and all complete is sold; some stock is available', async () => {
    const petId = await makePet(2);
    const [one, other] = [await place({ petId }), await place({ petId })];
    expect(await stock(petId)).toEqual([0, 'pending']);
    await patch(one.id, { complete: true });
    expect(await stock(petId)).toEqual([0, 'pending']);
    await patch(other.id, { complete: true });
    expect(await stock(petId)).toEqual([0, 'sold']);
    await count(petId, 1);
    expect(await stock(petId)).toEqual([1, 'available']);
    await place({ petId, complete: true });
    expect(await stock(petId)).toEqual([0, 'sold']);
  });

  test('cancelling the last open order makes the pet available again', async () => {
    const petId = await makePet(2);
    await place({ petId, complete: true });
    const { id } = await place({ petId });
    expect(await stock(petId)).toEqual([0, 'pending']);
    await cancel(id);
    expect(await stock(petId)).toEqual([1, 'available']);
  });

  test('an order from before the tracking started counts as open', async () => {
    const petId = await makePet();
    const { id } = await place({ petId, quantity: 2 });
    await count(petId, 0);
    expect(await stock(petId)).toEqual([0, 'pending']);
    await cancel(id);
    expect(await stock(petId)).toEqual([2, 'available']);
  });

  test.each([
    ['nothing', {}],
    ['the ship date alone', { shipDate: '2027-01-01T00:00:00Z' }],
    ['the quantity to its current value', { quantity: 2 }],
    ['complete to false, as before', { complete: false }],
  ])(
    'a status set by a client stays, and the version of the entry, when no stock moves: a change of %s',
    async (_, changes) => {
      const petId = await makePet(5);
      const { id } = await place({ petId, quantity: 2 });
      await app.rest('PATCH', `/pets/${petId}`, { body: { status: 'pending' } });
      const version = async () => (await app.rest('GET', `/store/inventory/${petId}`)).headers.get('etag');
      const before = await version();
      expect((await patch(id, changes)).status).toBe(200);
      expect(await stock(petId)).toEqual([3, 'pending']);
      expect(await version()).toBe(before);
    },
  );

  test('a status set by a client stays when an order is rejected', async () => {
    const petId = await makePet(1);
    await app.rest('PATCH', `/pets/${petId}`, { body: { status: 'sold' } });
    expect((await app.rest('POST', '/store/orders', { body: { petId, quantity: 2 } })).status).toBe(409);
    expect(await stock(petId)).toEqual([1, 'sold']);
  });

  test('a status set by a client is replaced by the next stock movement', async () => {
    const petId = await makePet(2);
    const { id } = await place({ petId });
    const setByHand = () => app.rest('PATCH', `/pets/${petId}`, { body: { status: 'sold' } });
    await setByHand();
    await patch(id, { quantity: 2 });
    expect(await stock(petId)).toEqual([0, 'pending']);
    await setByHand();
    await cancel(id);
    expect(await stock(petId)).toEqual([2, 'available']);
  });

  test.each([
    ['the completion of an order', (id: number) => patch(id, { complete: true })],
    ['a count of the same quantity', (_: number, petId: number) => count(petId, 3)],
  ])('a status set by a client is replaced by %s, which leaves the stock as it is', async (_, move) => {
    const petId = await makePet(5);
    const { id } = await place({ petId, quantity: 2 });
    await app.rest('PATCH', `/pets/${petId}`, { body: { status: 'pending' } });
    await move(id, petId);
    expect(await stock(petId)).toEqual([3, 'available']);
  });
});
