import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';

let app: TestApp;
let categoryId: number;

beforeAll(async () => {
  app = await startTestApp();
  categoryId = (await app.rest('POST', '/categories', { body: { name: 'Dogs' } })).body.id;
});
afterAll(() => app.dispose());

async function makePet(status = 'available'): Promise<number> {
  return (await app.rest('POST', '/pets', { body: { name: 'Rex', categoryId, status } })).body.id;
}

async function count(petId: number, quantity: number): Promise<void> {
  const { status } = await app.rest('PUT', `/store/inventory/${petId}`, { body: { quantity } });
  expect([200, 201]).toContain(status);
}

async function order(petId: number, fields: object = {}): Promise<number> {
  const { status, body } = await app.rest('POST', '/store/orders', { body: { petId, ...fields } });
  expect(status).toBe(201);
  return body.id;
}

async function petStatus(petId: number): Promise<string> {
  return (await app.rest('GET', `/pets/${petId}`)).body.status;
}

async function listed(query: string): Promise<number[]> {
  const { status, body } = await app.rest('GET', `/store/inventory?limit=100&${query}`);
  expect(status).toBe(200);
  return body.map((item: { petId: number }) => item.petId);
}

describe('PUT /store/inventory/{petId}', () => {
  test('starts to track a pet: 201, and the URL of the entry', async () => {
    const petId = await makePet();
    const { status, headers, body } = await app.rest('PUT', `/store/inventory/${petId}`, { body: { quantity: 5 } });
    expect(status).toBe(201);
    expect(headers.get('location')).toBe(`http://pets.example/store/inventory/${petId}`);
    expect(body).toEqual({ petId, quantity: 5, status: 'available' });
    expect((await app.rest('GET', `/store/inventory/${petId}`)).body).toEqual(body);
  });

  test('replaces the quantity of a tracked pet: 200', async () => {
    const petId = await makePet();
    await count(petId, 5);
    for (const quantity of [7, 7, 0, 2147483647]) {
      const { status, headers, body } = await app.rest('PUT', `/store/inventory/${petId}`, { body: { quantity } });
      expect(status).toBe(200);
      expect(headers.get('location')).toBeNull();
      expect(body).toEqual({ petId, quantity, status: quantity === 0 ? 'sold' : 'available' });
    }
  });

  test('starts again, with 201, after the tracking was stopped', async () => {
    const petId = await makePet();
    await count(petId, 5);
    await app.rest('DELETE', `/store/inventory/${petId}`);
    expect((await app.rest('PUT', `/store/inventory/${petId}`, { body: { quantity: 1 } })).status).toBe(201);
  });

  test('starts, with 201, for a pet that was ordered before it was tracked', async () => {
    const petId = await makePet();
    await order(petId);
    const { status, body } = await app.rest('PUT', `/store/inventory/${petId}`, { body: { quantity: 0 } });
    expect(status).toBe(201);
    expect(body).toEqual({ petId, quantity: 0, status: 'pending' });
  });

  test('only one of many concurrent first requests is 201', async () => {
    const petId = await makePet();
    const requests = Array.from({ length: 8 }, (_, quantity) =>
      app.rest('PUT', `/store/inventory/${petId}`, { body: { quantity } }),
    );
    const statuses = (await Promise.all(requests)).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([200, 200, 200, 200, 200, 200, 200, 201]);
  });

  test('returns the version that a read has, also if the status changes', async () => {
    const petId = await makePet();
    for (const quantity of [0, 1]) {
      const change = `mutation { replaceStock(petId: ${petId}, update: { quantity: ${quantity} }) { version } }`;
      const { replaceStock } = (await app.graphql(change)).data;
      const { inventoryItem } = (await app.graphql(`{ inventoryItem(petId: ${petId}) { version } }`)).data;
      expect(replaceStock).toEqual(inventoryItem);
    }
  });

  test('petId in the body must be that of the path', async () => {
    const petId = await makePet();
    const same = await app.rest('PUT', `/store/inventory/${petId}`, { body: { petId, quantity: 5 } });
    expect(same.status).toBe(201);
    const other = await app.rest('PUT', `/store/inventory/${petId}`, { body: { petId: petId + 1, quantity: 6 } });
    expect(other.status).toBe(422);
    expect(other.body.message).toBe(`petId is read-only: it must be ${petId}, as in the path, or be omitted.`);
    const otherName = await app.rest('PUT', `/store/inventory/${petId}`, { body: { id: petId, quantity: 6 } });
    expect([otherName.status, otherName.body.message]).toEqual([422, expect.stringContaining('id is not a field')]);
    expect((await app.rest('GET', `/store/inventory/${petId}`)).body.quantity).toBe(5);
  });

  test('accepts the body of a GET, with the current status only', async () => {
    const petId = await makePet();
    await count(petId, 5);
    const path = `/store/inventory/${petId}`;
    const { body: item } = await app.rest('GET', path);
    const same = await app.rest('PUT', path, { body: { ...item, quantity: 6 } });
    expect([same.status, same.body]).toEqual([200, { ...item, quantity: 6 }]);
    for (const [status, message] of [
      ['sold', 'status is read-only: it must be available, its current value, or be left out.'],
      ['gone', 'status must be one of available, pending, sold, not "gone".'],
      [null, 'status must not be null; omit it instead.'],
    ]) {
      const other = await app.rest('PUT', path, { body: { ...item, quantity: 7, status } });
      expect([other.status, other.body.code, other.body.message]).toEqual([422, 'VALIDATION_FAILED', message]);
    }
    expect((await app.rest('GET', path)).body.quantity).toBe(6);
  });

  test('starts to track with a status only if the pet has it', async () => {
    const petId = await makePet('pending');
    const path = `/store/inventory/${petId}`;
    expect((await app.rest('PUT', path, { body: { quantity: 1, status: 'sold' } })).status).toBe(422);
    expect((await app.rest('PUT', path, { body: { quantity: 1, status: 'pending' } })).status).toBe(201);
  });

  test('a missing pet cannot be tracked', async () => {
    const { status, body } = await app.rest('PUT', '/store/inventory/987654', { body: { quantity: 5 } });
    expect(status).toBe(404);
    expect(body).toEqual({ code: 'NOT_FOUND', message: 'No pet has the id 987654.', status: 404 });
  });
});

describe('the status of an entry is the status of its pet', () => {
  test('a new quantity sets it: some stock is available, no stock and never ordered is sold', async () => {
    const petId = await makePet('pending');
    await count(petId, 0);
    expect(await petStatus(petId)).toBe('sold');
    await count(petId, 1);
    expect(await petStatus(petId)).toBe('available');
  });

  test('no stock is pending while an order is open, and sold once all are complete', async () => {
    const petId = await makePet();
    const open = await order(petId);
    await order(petId, { complete: true });
    await count(petId, 0);
    expect(await petStatus(petId)).toBe('pending');
    await app.rest('PATCH', `/store/orders/${open}`, { body: { complete: true } });
    expect(await petStatus(petId)).toBe('sold');
    await count(petId, 3);
    expect(await petStatus(petId)).toBe('available');
    await count(petId, 0);
    expect(await petStatus(petId)).toBe('sold');
  });

  test('a client may set it, and both resources show it; the next stock movement replaces it', async () => {
    const petId = await makePet();
    await count(petId, 5);
    await app.rest('PATCH', `/pets/${petId}`, { body: { status: 'sold' } });
    expect((await app.rest('GET', `/store/inventory/${petId}`)).body).toEqual({ petId, quantity: 5, status: 'sold' });
    expect(await listed(`petId=${petId}&status=sold`)).toEqual([petId]);
    await count(petId, 4);
    expect((await app.rest('GET', `/store/inventory/${petId}`)).body).toEqual({
      petId,
      quantity: 4,
      status: 'available',
    });
  });
});

describe('GET /store/inventory/{petId}', () => {
  test('a pet that is not tracked has no entry, ordered or not', async () => {
    const petId = await makePet();
    const missing = { code: 'NOT_FOUND', message: `Pet ${petId} has no inventory entry.`, status: 404 };
    const never = await app.rest('GET', `/store/inventory/${petId}`);
    expect(never.status).toBe(404);
    expect(never.body).toEqual(missing);
    await order(petId);
    expect((await app.rest('GET', `/store/inventory/${petId}`)).body).toEqual(missing);
    expect(await listed(`petId=${petId}`)).toEqual([]);
  });
});

describe('DELETE /store/inventory/{petId}', () => {
  test('stops the tracking, keeps the pet unchanged, and is 404 a second time', async () => {
    const petId = await makePet();
    await count(petId, 0);
    const { status, text, headers } = await app.rest('DELETE', `/store/inventory/${petId}`);
    expect({ status, text }).toEqual({ status: 204, text: '' });
    expect(headers.get('content-type')).toBeNull();
    expect(await petStatus(petId)).toBe('sold');
    expect(await listed(`petId=${petId}`)).toEqual([]);
    const again = await app.rest('DELETE', `/store/inventory/${petId}`);
    expect(again.status).toBe(404);
    expect(again.body).toEqual({ code: 'NOT_FOUND', message: `Pet ${petId} has no inventory entry.`, status: 404 });
  });

  test('from then on any quantity can be ordered, and no order changes the status', async () => {
    const petId = await makePet();
    await count(petId, 0);
    await app.rest('DELETE', `/store/inventory/${petId}`);
    await app.rest('PATCH', `/pets/${petId}`, { body: { status: 'available' } });
    const id = await order(petId, { quantity: 1000 });
    await app.rest('PATCH', `/pets/${petId}`, { body: { status: 'pending' } });
    await app.rest('DELETE', `/store/orders/${id}`);
    expect(await petStatus(petId)).toBe('pending');
  });
});

describe('GET /store/inventory', () => {
  test('returns an array of the tracked pets in the order of ids', async () => {
    const [one, uncounted, other] = [await makePet(), await makePet(), await makePet()];
    await count(other, 2);
    await count(one, 0);
    const { status, body } = await app.rest('GET', `/store/inventory?petId=${other}&petId=${uncounted}&petId=${one}`);
    expect(status).toBe(200);
    expect(body).toEqual([
      { petId: one, quantity: 0, status: 'sold' },
      { petId: other, quantity: 2, status: 'available' },
    ]);
    expect((await app.rest('GET', `/store/inventory?petId=${uncounted}`)).text).toBe('[]');
  });

  test('a repeated parameter matches any of its values; different parameters must all match', async () => {
    const [sold, pending, available] = [await makePet(), await makePet(), await makePet()];
    await order(pending);
    await count(sold, 0);
    await count(pending, 0);
    await count(available, 1);
    const all = `petId=${sold}&petId=${pending}&petId=${available}`;
    expect(await listed(all)).toEqual([sold, pending, available]);
    expect(await listed(`${all}&status=sold`)).toEqual([sold]);
    expect(await listed(`${all}&status=pending`)).toEqual([pending]);
    expect(await listed(`${all}&status=available&status=sold`)).toEqual([sold, available]);
    expect(await listed(`petId=${sold}&status=available`)).toEqual([]);
    expect(await listed('status=pending')).toContain(pending);
    expect(await listed('status=pending')).not.toContain(sold);
  });
});
