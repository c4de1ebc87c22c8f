import { describe, expect, test } from 'vitest';
import type { RestAnswer } from '../../support/app.ts';
import { untilOthersWait } from '../../support/locks.ts';
import { app, cancel, ids, makePet, patch, place, read, startShop, stock } from './shop.ts';

startShop();

describe('POST /store/orders', () => {
  test('no field is required: an empty order is a draft of one, not complete', async () => {
    const { status, headers, body, text } = await app.rest('POST', '/store/orders', { body: {} });
    expect(status).toBe(201);
    expect(text).toBe(`{"id":${body.id},"quantity":1,"complete":false}`);
    expect(headers.get('location')).toBe(`http://pets.example/store/orders/${body.id}`);
    expect((await app.rest('GET', `/store/orders/${body.id}`)).text).toBe(text);
    expect((await app.rest('GET', `/store/orders?id=${body.id}`)).text).toBe(`[${text}]`);
  });

  test('every field is kept', async () => {
    const petId = await makePet();
    const fields = { petId, quantity: 3, shipDate: '2026-12-01T09:30:00.000Z', complete: true };
    const order = await place(fields);
    expect(order).toEqual({ id: order.id, ...fields });
    expect(await read(order.id)).toEqual(order);
  });

  test.each([
    ['2026-12-01T10:30:00+01:00', '2026-12-01T09:30:00.000Z'],
    ['2026-12-31T23:30:00-05:30', '2027-01-01T05:00:00.000Z'],
    ['2024-02-29T00:00:00.5z', '2024-02-29T00:00:00.500Z'],
    ['2026-12-01t10:30:00.123456789Z', '2026-12-01T10:30:00.123Z'],
    ['2026-12-01T10:30:00.9996Z', '2026-12-01T10:30:00.999Z'],
    ['1883-11-18T12:00:00Z', '1883-11-18T12:00:00.000Z'],
    ['0099-12-31T23:59:59Z', '0099-12-31T23:59:59.000Z'],
    ['0050-06-01T00:00:00Z', '0050-06-01T00:00:00.000Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ])('the ship date %s is returned in UTC, as %s', async (shipDate, expected) => {
    const order = await place({ shipDate });
    expect(order.shipDate).toBe(expected);
    expect((await read(order.id)).shipDate).toBe(expected);
  });

  test('an id is assigned, never taken from the client', async () => {
    const { status, body } = await app.rest('POST', '/store/orders', { body: { id: 4711 } });
    expect(status).toBe(422);
    expect(body.code).toBe('VALIDATION_FAILED');
    expect(body.message).toMatch(/^id is read-only/);
  });

  test('a pet that does not exist is named in the rejection', async () => {
    const { status, body } = await app.rest('POST', '/store/orders', { body: { petId: 987654 } });
    expect(status).toBe(422);
    expect(body).toEqual({ code: 'UNKNOWN_REFERENCE', message: 'petId 987654 is not the id of a pet.', status: 422 });
  });
});

describe('an order for a pet that is not available', () => {
  test.each(['pending', 'sold'])(
    'is 409 NOT_AVAILABLE while it is %s, counted or not, ordered before or not',
    async (status) => {
      const ordered = await makePet();
      const before = await place({ petId: ordered });
      for (const petId of [await makePet(), await makePet(1), ordered]) {
        await app.rest('PATCH', `/pets/${petId}`, { body: { status } });
        const { status: answered, body } = await app.rest('POST', '/store/orders', { body: { petId } });
        expect([answered, body]).toEqual([
          409,
          {
            code: 'NOT_AVAILABLE',
            message: `Pet ${petId} is ${status}; only pets with the status available can be ordered.`,
            status: 409,
          },
        ]);
        expect(await ids(`petId=${petId}`)).toEqual(petId === ordered ? [before.id] : []);
        expect((await app.rest('GET', `/pets/${petId}`)).body.status).toBe(status);
        await app.rest('PATCH', `/pets/${petId}`, { body: { status: 'available' } });
        await place({ petId });
      }
    },
  );

  test('is OUT_OF_STOCK all the same if too little is in stock', async () => {
    const petId = await makePet(2);
    await app.rest('PATCH', `/pets/${petId}`, { body: { status: 'sold' } });
    const { status, body } = await app.rest('POST', '/store/orders', { body: { petId, quantity: 3 } });
    expect([status, body.code]).toEqual([409, 'OUT_OF_STOCK']);
    expect(await stock(petId)).toEqual([2, 'sold']);
  });

  test('can still be changed, completed and cancelled', async () => {
    const petId = await makePet();
    const [changed, cancelled] = [await place({ petId }), await place({ petId })];
    await app.rest('PATCH', `/pets/${petId}`, { body: { status: 'sold' } });
    expect((await patch(changed.id, { quantity: 3, complete: true })).status).toBe(200);
    expect((await cancel(cancelled.id)).status).toBe(204);
  });

  test('sees the status of a change before it, even if it had to wait for that change', async () => {
    for (const quantity of [undefined, 5]) {
      const petId = await makePet(quantity);
      let placing: Promise<RestAnswer> | undefined;
      await app.database.transaction(async (query) => {
        await query("update pets set status = 'sold' where id = $1", [petId]);
        placing = app.rest('POST', '/store/orders', { body: { petId } });
        await untilOthersWait(query);
      });
      expect((await placing)?.body.code).toBe('NOT_AVAILABLE');
      expect(await ids(`petId=${petId}`)).toEqual([]);
    }
  });
});

describe('GET /store/orders by ship date', () => {
  test('shipDateFrom and shipDateTo are a half-open range without orders that have no date', async () => {
    const petId = await makePet();
    const make = async (shipDate?: string) => (await place({ petId, ...(shipDate && { shipDate }) })).id;
    const [none, one, two, three] = [
      await make(),
      await make('2026-12-01T00:00:00Z'),
      await make('2026-12-02T00:00:00Z'),
      await make('2026-12-03T00:00:00Z'),
    ];
    const found = (query: string) => ids(`petId=${petId}&${query}`);
    expect(await found('shipDateFrom=2026-12-02T00:00:00Z')).toEqual([two, three]);
    expect(await found('shipDateTo=2026-12-02T00:00:00Z')).toEqual([one]);
    expect(await found('shipDateFrom=2026-12-01T00:00:00Z&shipDateTo=2026-12-03T00:00:00Z&sort=-shipDate')).toEqual([
      two,
      one,
    ]);
    expect(await found('shipDateFrom=2026-12-03T00:00:00Z&shipDateTo=2026-12-01T00:00:00Z')).toEqual([]);
    expect(await found('')).toEqual([none, one, two, three]);
  });

  test('accepts any offset, also with an unencoded plus', async () => {
    const petId = await makePet();
    const { id } = await place({ petId, shipDate: '2026-12-02T00:00:00+01:00' });
    for (const plus of ['+', '%2B']) {
      const range = `shipDateFrom=2026-12-02T00:00:00${plus}01:00&shipDateTo=2026-12-02T00:00:01${plus}01:00`;
      expect(await ids(`petId=${petId}&${range}`)).toEqual([id]);
    }
  });

  test.each(['2026-12-01', 'tomorrow', '2026-12-01T00:00:00', ''])('%s is no date-time: 400', async (text) => {
    const { status, body } = await app.rest('GET', `/store/orders?shipDateFrom=${text}`);
    expect([status, body.code]).toEqual([400, 'INVALID_ARGUMENT']);
    expect(body.message).toMatch(/^shipDateFrom must be a date-time of RFC 3339/);
  });
});

describe('PATCH /store/orders/{orderId}', () => {
  test.each(['application/merge-patch+json', 'application/json'])('merges a patch of type %s', async (contentType) => {
    const order = await place({ quantity: 3, shipDate: '2026-12-01T09:30:00Z' });
    const options = { body: { quantity: 4 }, headers: { 'content-type': contentType } };
    const { status, body } = await app.rest('PATCH', `/store/orders/${order.id}`, options);
    expect(status).toBe(200);
    expect(body).toEqual({ ...order, quantity: 4 });
    expect(await read(order.id)).toEqual(body);
  });

  test('null removes the ship date; leaving it out keeps it', async () => {
    const { id, shipDate } = await place({ shipDate: '2026-12-01T09:30:00Z' });
    expect((await patch(id, { quantity: 2 })).body.shipDate).toBe(shipDate);
    const { status, text } = await patch(id, { shipDate: null });
    expect(status).toBe(200);
    expect(text).toBe(`{"id":${id},"quantity":2,"complete":false}`);
    expect((await app.rest('GET', `/store/orders/${id}`)).text).toBe(text);
    expect((await patch(id, { shipDate: '2027-01-01T00:00:00+01:00' })).body.shipDate).toBe('2026-12-31T23:00:00.000Z');
  });

  test.each(['quantity', 'complete'])('null for %s is an error, because it cannot be removed', async (field) => {
    const order = await place({ shipDate: '2026-12-01T09:30:00Z' });
    const { status, body } = await patch(order.id, { shipDate: null, [field]: null });
    expect(status).toBe(422);
    expect(body.message).toBe(`${field} must not be null; omit it instead.`);
    expect(await read(order.id)).toEqual(order);
  });

  test('an empty patch changes nothing and returns the order', async () => {
    const petId = await makePet(5);
    const order = await place({ petId, quantity: 2, shipDate: '2026-12-01T09:30:00Z' });
    const { status, body } = await patch(order.id, {});
    expect(status).toBe(200);
    expect(body).toEqual(order);
    expect(await read(order.id)).toEqual(order);
    expect(await stock(petId)).toEqual([3, 'available']);
  });

  test('the id may be repeated, but not changed', async () => {
    const order = await place({});
    expect((await patch(order.id, { id: order.id, quantity: 2 })).body.quantity).toBe(2);
    const rejected = await patch(order.id, { id: order.id + 1, quantity: 3 });
    expect(rejected.status).toBe(422);
    expect(rejected.body.message).toBe(`id is read-only: it must be ${order.id}, as in the path, or be omitted.`);
    expect((await read(order.id)).quantity).toBe(2);
  });

  test('the pet of an order cannot be changed', async () => {
    const petId = await makePet();
    const order = await place({ petId });
    const { status, body } = await patch(order.id, { petId: await makePet() });
    expect(status).toBe(422);
    expect(body.message).toContain('petId is not a field of OrderChanges');
    expect(await read(order.id)).toEqual(order);
  });

  test('a missing order is 404, even for an empty patch', async () => {
    for (const changes of [{}, { quantity: 2 }, { complete: true }]) {
      const { status, body } = await patch(987654, changes);
      expect(status).toBe(404);
      expect(body).toEqual({ code: 'NOT_FOUND', message: 'No order has the id 987654.', status: 404 });
    }
  });
});

describe('GET /store/orders', () => {
  test('a repeated parameter matches any of its values; different parameters must all match', async () => {
    const [one, other] = [await makePet(), await makePet()];
    const a = await place({ petId: one });
    const b = await place({ petId: one, complete: true });
    const c = await place({ petId: other, complete: true });
    const both = `petId=${other}&petId=${one}`;
    expect((await app.rest('GET', `/store/orders?${both}`)).body).toEqual([a, b, c]);
    expect(await ids(`petId=${one}`)).toEqual([a.id, b.id]);
    expect(await ids(`${both}&complete=true`)).toEqual([b.id, c.id]);
    expect(await ids(`${both}&complete=false`)).toEqual([a.id]);
    expect(await ids(`id=${c.id}&id=${a.id}`)).toEqual([a.id, c.id]);
    expect(await ids(`id=${c.id}&id=${a.id}&petId=${one}`)).toEqual([a.id]);
    expect((await app.rest('GET', `/store/orders?petId=${await makePet()}`)).text).toBe('[]');
  });

  test('a draft belongs to no pet, and is listed', async () => {
    const { id } = await place({});
    expect(await ids(`id=${id}`)).toEqual([id]);
  });

  test('sorts by id and by ship date, both ways; orders without a date are last both ways; ties are sorted by id', async () => {
    const petId = await makePet();
    const [june, may, never, mayToo, old, neverToo] = [
      await place({ petId, shipDate: '2026-06-01T00:00:00Z' }),
      await place({ petId, shipDate: '2026-05-01T12:00:00Z' }),
      await place({ petId }),
      await place({ petId, shipDate: '2026-05-01T14:00:00+02:00' }),
      await place({ petId, shipDate: '1969-12-31T23:59:59.999Z' }),
      await place({ petId }),
    ].map((order) => order.id) as [number, number, number, number, number, number];
    const filter = `petId=${petId}`;
    expect(await ids(filter)).toEqual([june, may, never, mayToo, old, neverToo]);
    expect(await ids(`${filter}&sort=id`)).toEqual([june, may, never, mayToo, old, neverToo]);
    expect(await ids(`${filter}&sort=-id`)).toEqual([neverToo, old, mayToo, never, may, june]);
    expect(await ids(`${filter}&sort=shipDate`)).toEqual([old, may, mayToo, june, never, neverToo]);
    expect(await ids(`${filter}&sort=-shipDate`)).toEqual([june, mayToo, may, old, neverToo, never]);
  });
});
