import { describe, expect, test } from 'vitest';
import {
  app,
  categoryId,
  changes,
  expectError,
  make,
  makePet,
  RESOURCES,
  resources,
  startShop,
  tagOf,
  write,
} from './versioned.ts';

startShop();

describe('an ETag', () => {
  test.each(resources)('of a %s is strong, and stays the same until the row changes', async (_, { make }) => {
    const path = await make();
    const tag = await tagOf(path);
    expect(tag).toMatch(/^"\d+-[\w-]{6}"$/);
    expect(await tagOf(path)).toBe(tag);
    expect((await app.rest('HEAD', path)).headers.get('etag')).toBe(tag);
  });

  test.each(changes)('changes with a $method of the $name', async ({ make, method, body }) => {
    const path = await make();
    const before = await tagOf(path);
    expect((await write(method, path, body, {})).status).toBe(200);
    expect(await tagOf(path)).not.toBe(before);
  });

  test('is in the responses to POST and PATCH', async () => {
    const created = await app.rest('POST', '/pets', { body: { name: 'Rex', categoryId } });
    const path = `/pets/${created.body.id}`;
    expect(created.headers.get('etag')).toBe(await tagOf(path));
    const changed = await app.rest('PATCH', path, { body: { name: 'Max' } });
    expect(changed.headers.get('etag')).toBe(await tagOf(path));
  });

  test('MUST NOT be in the response to a PUT: the stored row is not what was sent (RFC 9110, 9.3.4)', async () => {
    const path = await RESOURCES.pet.make();
    const { status, headers } = await app.rest('PUT', path, { body: { name: 'Max', categoryId } });
    expect([status, headers.get('etag')]).toEqual([200, null]);
  });

  test('of a pet changes when an order changes its status, and of an entry when an order takes its stock', async () => {
    const petId = await makePet();
    await app.rest('PUT', `/store/inventory/${petId}`, { body: { quantity: 2 } });
    const tags = async () => [await tagOf(`/pets/${petId}`), await tagOf(`/store/inventory/${petId}`)] as const;
    const [pet, entry] = await tags();
    const order = await make('/store/orders', { petId });
    const [samePet, lessEntry] = await tags();
    expect(samePet).toBe(pet);
    expect(lessEntry).not.toBe(entry);
    await app.rest('PATCH', `/store/orders/${order}`, { body: { quantity: 2 } });
    const [pendingPet, noneEntry] = await tags();
    expect(pendingPet).not.toBe(pet);
    expect(noneEntry).not.toBe(lessEntry);
    await app.rest('PATCH', `/pets/${petId}`, { body: { status: 'sold' } });
    expect((await tags())[1]).not.toBe(noneEntry);
  });

  test('of an entry changes with an order, also with one of several at once, and when it is cancelled', async () => {
    const pets = [await makePet(), await makePet()];
    const tags = () => Promise.all(pets.map((petId) => tagOf(`/store/inventory/${petId}`)));
    await Promise.all(pets.map((id) => app.rest('PUT', `/store/inventory/${id}`, { body: { quantity: 5 } })));
    const counted = await tags();
    const orders = await Promise.all(pets.map((petId) => make('/store/orders', { petId })));
    const ordered = await tags();
    await Promise.all(orders.map((id) => app.rest('DELETE', `/store/orders/${id}`)));
    const cancelled = await tags();
    for (const index of pets.keys())
      expect(new Set([counted, ordered, cancelled].map((all) => all[index])).size).toBe(3);
  });

  test('of an inventory entry never repeats, even if its tracking is stopped and started again', async () => {
    const path = await RESOURCES['inventory entry'].make();
    const before = await tagOf(path);
    await app.rest('DELETE', path);
    await app.rest('PUT', path, { body: { quantity: 5 } });
    expect(await tagOf(path)).not.toBe(before);
  });

  test('of a list changes when a row of the page changes, is added or removed', async () => {
    const own = await make('/categories', { name: 'Birds' });
    const list = `/pets?categoryId=${own}&limit=2`;
    const pets = [];
    const tags = [await tagOf(list)];
    const note = async () => tags.push(await tagOf(list));
    for (const name of ['Ada', 'Bob', 'Cid']) {
      pets.push(await make('/pets', { name, categoryId: own }));
      // The third row is on the next page; whether there is a next page is a part of this one.
      await note();
    }
    await app.rest('PATCH', `/pets/${pets[0]}`, { body: { status: 'sold' } });
    await note();
    await app.rest('DELETE', `/pets/${pets[2]}`);
    await note();
    expect(new Set(tags).size).toBe(tags.length);
    expect(await tagOf(list)).toBe(tags.at(-1));
  });
});

describe('a change that changes nothing', () => {
  test.each([
    ['PATCH', 'pet', async () => ({})],
    ['PATCH', 'pet', async (path: string) => ({ name: (await app.rest('GET', path)).body.name })],
    ['PUT', 'pet', async (path: string) => (await app.rest('GET', path)).body],
    ['PATCH', 'category', async () => ({})],
    ['PUT', 'category', async (path: string) => (await app.rest('GET', path)).body],
    ['PATCH', 'order', async () => ({})],
    ['PATCH', 'order', async (path: string) => ({ quantity: (await app.rest('GET', path)).body.quantity })],
    ['PUT', 'inventory entry', async (path: string) => (await app.rest('GET', path)).body],
  ] as const)('by %s of a %s keeps the ETag, so that other clients get no 412', async (method, name, bodyOf) => {
    const path = await RESOURCES[name].make();
    const [before, tag] = [await app.rest('GET', path), await tagOf(path)];
    const { status } = await app.rest(method, path, { body: await bodyOf(path), headers: { 'if-match': tag } });
    const after = await app.rest('GET', path);
    expect([status, after.text, await tagOf(path)]).toEqual([200, before.text, tag]);
  });

  test('by PATCH of an order with its current ship date keeps the ETag; another date changes it', async () => {
    const id = await make('/store/orders', { shipDate: '2026-12-01T09:30:00.123Z' });
    const path = `/store/orders/${id}`;
    const tag = await tagOf(path);
    await app.rest('PATCH', path, { body: { shipDate: '2026-12-01T10:30:00.123+01:00' } });
    expect(await tagOf(path)).toBe(tag);
    await app.rest('PATCH', path, { body: { shipDate: null } });
    expect(await tagOf(path)).not.toBe(tag);
  });

  test('of an order leaves the inventory entry of its pet unchanged', async () => {
    const petId = await makePet();
    const entry = `/store/inventory/${petId}`;
    await app.rest('PUT', entry, { body: { quantity: 5 } });
    const id = await make('/store/orders', { petId });
    const tag = await tagOf(entry);
    await app.rest('PATCH', `/store/orders/${id}`, { body: { shipDate: '2026-12-01T09:30:00Z' } });
    expect(await tagOf(entry)).toBe(tag);
  });

  test('is PRECONDITION_FAILED all the same if the ETag differs', async () => {
    const path = await RESOURCES.pet.make();
    const answer = await app.rest('PATCH', path, { body: {}, headers: { 'if-match': '"999"' } });
    expectError(answer, 'PRECONDITION_FAILED', /has version 1/);
  });
});
