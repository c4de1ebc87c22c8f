import { describe, expect, test } from 'vitest';
import { app, categoryId, ids, makeCategory, makePet, read, startShop } from './shop.ts';

startShop();

const INT64 = 'categoryId must be an integer (int64) of 64 bits';

describe('POST /pets', () => {
  test('a new pet gets an id, the default status and a URL', async () => {
    const { status, headers, body } = await app.rest('POST', '/pets', { body: { name: 'Rex', categoryId } });
    expect(status).toBe(201);
    expect(body).toEqual({ id: expect.any(Number), name: 'Rex', categoryId, status: 'available' });
    expect(headers.get('location')).toBe(`http://pets.example/pets/${body.id}`);
    expect((await app.rest('GET', `/pets/${body.id}`)).body).toEqual(body);
  });

  test.each(['available', 'pending', 'sold'])('a pet may be created as %s', async (status) => {
    const pet = await makePet({ status });
    expect(pet).toEqual({ id: pet.id, name: 'Rex', categoryId, status });
    expect(await read(pet.id)).toEqual(pet);
  });

  test.each([
    ['one letter', 'A'],
    ['white space around it', '  Rex  '],
    ['quotes, backslashes and control characters', '"\\\'\u0001\t\n\u007f'],
    ['text like SQL', "'; drop table pets; --"],
    ['text like HTML', '<script>alert(1)</script>&amp;'],
    ['many scripts', 'Éé ßẞ İı Ǆ ﷽ 犬 שלום ไทย'],
    ['a family of emoji', '👩‍👩‍👧‍👦🐕'],
    ['200 letters', 'x'.repeat(200)],
    ['200 emoji, counted as characters and not as UTF-16 units', '🐕'.repeat(200)],
    ['the highest code point', '\u{10ffff}'],
  ])('a name is kept to its last character: %s', async (_, name) => {
    const pet = await makePet({ name });
    expect(pet.name).toBe(name);
    expect((await read(pet.id)).name).toBe(name);
  });

  test('names are not unique', async () => {
    const [one, other] = [await makePet({ name: 'Twin' }), await makePet({ name: 'Twin' })];
    expect(one.id).not.toBe(other.id);
  });

  test('an id is assigned, never taken from the client', async () => {
    const { status, body } = await app.rest('POST', '/pets', { body: { id: 4711, name: 'Rex', categoryId } });
    expect(status).toBe(422);
    expect(body).toEqual({
      code: 'VALIDATION_FAILED',
      message: expect.stringMatching(/^id is read-only/),
      status: 422,
    });
    expect(await ids('id=4711')).toEqual([]);
  });

  test('a category that does not exist is named in the rejection', async () => {
    const { status, body } = await app.rest('POST', '/pets', { body: { name: 'Rex', categoryId: 987654 } });
    expect(status).toBe(422);
    expect(body).toEqual({
      code: 'UNKNOWN_REFERENCE',
      message: 'categoryId 987654 is not the id of a category.',
      status: 422,
    });
  });
});

describe('PUT /pets/{petId}', () => {
  test('replaces the whole pet', async () => {
    const { id } = await makePet();
    const other = await makeCategory();
    const replacement = { name: 'Bello', categoryId: other, status: 'sold' };
    const { status, body, headers } = await app.rest('PUT', `/pets/${id}`, { body: replacement });
    expect(status).toBe(200);
    expect(headers.get('location')).toBeNull();
    expect(body).toEqual({ id, ...replacement });
    expect(await read(id)).toEqual({ id, ...replacement });
  });

  test('an omitted status is reset to its default', async () => {
    const { id } = await makePet({ status: 'sold' });
    const { body } = await app.rest('PUT', `/pets/${id}`, { body: { name: 'Rex', categoryId } });
    expect(body).toEqual({ id, name: 'Rex', categoryId, status: 'available' });
    expect(await read(id)).toEqual(body);
  });

  test('accepts the body of a GET, with its id', async () => {
    const pet = await makePet({ status: 'pending' });
    const { status, body } = await app.rest('PUT', `/pets/${pet.id}`, { body: await read(pet.id) });
    expect(status).toBe(200);
    expect(body).toEqual(pet);
  });

  test.each(['another number', 'the same as text', 'null'])('rejects an id that is %s', async (which) => {
    const pet = await makePet();
    const id = { 'another number': pet.id + 1, 'the same as text': String(pet.id), null: null }[which];
    const { status, body } = await app.rest('PUT', `/pets/${pet.id}`, { body: { ...pet, name: 'Bello', id } });
    expect(status).toBe(422);
    expect(body.message).toBe(`id is read-only: it must be ${pet.id}, as in the path, or be omitted.`);
    expect(await read(pet.id)).toEqual(pet);
  });

  test('never creates a pet', async () => {
    const { status, body } = await app.rest('PUT', '/pets/987654', { body: { name: 'Rex', categoryId } });
    expect(status).toBe(404);
    expect(body).toEqual({ code: 'NOT_FOUND', message: 'No pet has the id 987654.', status: 404 });
    expect(await ids('id=987654')).toEqual([]);
  });

  test('rejects a category that does not exist, and keeps the pet', async () => {
    const pet = await makePet();
    const { status, body } = await app.rest('PUT', `/pets/${pet.id}`, { body: { name: 'Bello', categoryId: -1 } });
    expect(status).toBe(422);
    expect(body).toEqual({
      code: 'UNKNOWN_REFERENCE',
      message: 'categoryId -1 is not the id of a category.',
      status: 422,
    });
    expect(await read(pet.id)).toEqual(pet);
  });
});

describe('PATCH /pets/{petId}', () => {
  test.each(['application/merge-patch+json', 'application/json', 'Application/Merge-Patch+JSON; charset=utf-8'])(
    'merges a patch of type %s: omitted fields stay',
    async (contentType) => {
      const pet = await makePet({ status: 'pending' });
      const patch = { body: { name: 'Bello' }, headers: { 'content-type': contentType } };
      const { status, body } = await app.rest('PATCH', `/pets/${pet.id}`, patch);
      expect(status).toBe(200);
      expect(body).toEqual({ ...pet, name: 'Bello' });
      expect(await read(pet.id)).toEqual(body);
    },
  );

  test('changes any field alone, and all together', async () => {
    const pet = await makePet();
    const other = await makeCategory();
    let expected = pet;
    const patches = [{ status: 'sold' }, { categoryId: other }, { name: 'Bello', status: 'pending', categoryId }];
    for (const patch of patches) {
      expected = { ...expected, ...patch };
      expect((await app.rest('PATCH', `/pets/${pet.id}`, { body: patch })).body).toEqual(expected);
    }
    expect(await read(pet.id)).toEqual(expected);
  });

  test('an empty patch changes nothing and returns the pet', async () => {
    const pet = await makePet({ status: 'sold' });
    const { status, body } = await app.rest('PATCH', `/pets/${pet.id}`, { body: {} });
    expect(status).toBe(200);
    expect(body).toEqual(pet);
    expect(await read(pet.id)).toEqual(pet);
  });

  test.each(['name', 'categoryId', 'status'])(
    'null for %s is an error, because it cannot be removed',
    async (field) => {
      const pet = await makePet();
      const { status, body } = await app.rest('PATCH', `/pets/${pet.id}`, { body: { name: 'Bello', [field]: null } });
      expect(status).toBe(422);
      expect(body.message).toBe(`${field} must not be null; omit it instead.`);
      expect(await read(pet.id)).toEqual(pet);
    },
  );

  test('the id may be repeated, but not changed', async () => {
    const pet = await makePet();
    const same = await app.rest('PATCH', `/pets/${pet.id}`, { body: { id: pet.id, name: 'Bello' } });
    expect(same.body).toEqual({ ...pet, name: 'Bello' });
    const other = await app.rest('PATCH', `/pets/${pet.id}`, { body: { id: pet.id + 1, name: 'Rex' } });
    expect(other.status).toBe(422);
    expect(other.body.message).toMatch(/^id is read-only/);
    expect((await read(pet.id)).name).toBe('Bello');
  });

  test('a missing pet is 404, even for an empty patch', async () => {
    const { status, body } = await app.rest('PATCH', '/pets/987654', { body: {} });
    expect(status).toBe(404);
    expect(body).toEqual({ code: 'NOT_FOUND', message: 'No pet has the id 987654.', status: 404 });
  });

  test('a category that does not exist is rejected', async () => {
    const pet = await makePet();
    const { status, body } = await app.rest('PATCH', `/pets/${pet.id}`, { body: { categoryId: 0, name: 'Bello' } });
    expect(status).toBe(422);
    expect(body).toEqual({
      code: 'UNKNOWN_REFERENCE',
      message: 'categoryId 0 is not the id of a category.',
      status: 422,
    });
    expect(await read(pet.id)).toEqual(pet);
  });
});

describe('DELETE /pets/{petId}', () => {
  test('the pet is deleted; a second time is 404', async () => {
    const { id } = await makePet();
    const { status, text, headers } = await app.rest('DELETE', `/pets/${id}`);
    expect({ status, text }).toEqual({ status: 204, text: '' });
    expect(headers.get('content-type')).toBeNull();
    expect(await ids(`id=${id}`)).toEqual([]);
    const again = await app.rest('DELETE', `/pets/${id}`);
    expect(again.status).toBe(404);
    expect(again.body).toEqual({ code: 'NOT_FOUND', message: `No pet has the id ${id}.`, status: 404 });
    expect((await app.rest('GET', `/pets/${id}`)).body).toEqual(again.body);
  });

  test('its inventory entry is deleted too', async () => {
    const { id } = await makePet();
    await app.rest('PUT', `/store/inventory/${id}`, { body: { quantity: 3 } });
    expect((await app.rest('DELETE', `/pets/${id}`)).status).toBe(204);
    expect((await app.rest('GET', `/store/inventory/${id}`)).status).toBe(404);
    expect((await app.rest('GET', `/store/inventory?petId=${id}`)).body).toEqual([]);
  });

  test.each([false, true])('a pet with orders cannot be deleted, nor its entry (complete: %s)', async (complete) => {
    const { id } = await makePet();
    await app.rest('PUT', `/store/inventory/${id}`, { body: { quantity: 3 } });
    await app.rest('POST', '/store/orders', { body: { petId: id, complete } });
    const { status, body } = await app.rest('DELETE', `/pets/${id}`);
    expect(status).toBe(409);
    expect(body.code).toBe('CONFLICT');
    expect(body.message).toBe(`Pet ${id} cannot be deleted while it has orders.`);
    expect((await read(id)).id).toBe(id);
    expect((await app.rest('GET', `/store/inventory/${id}`)).body).toEqual({
      petId: id,
      quantity: 2,
      status: 'available',
    });
  });

  test('a pet whose orders were all cancelled can be deleted', async () => {
    const { id } = await makePet();
    const order = await app.rest('POST', '/store/orders', { body: { petId: id } });
    await app.rest('DELETE', `/store/orders/${order.body.id}`);
    expect((await app.rest('DELETE', `/pets/${id}`)).status).toBe(204);
  });
});

describe('a rejection', () => {
  test.each([
    ['{"name ":"Rex"}', '"name " is not a field of PetChanges, which accepts name, categoryId, status.'],
    ['{"a.b":{}}', '"a.b" is not a field of PetChanges, which accepts name, categoryId, status.'],
    ['{"categoryId":9223372036854775808}', `${INT64}, not 9223372036854775808.`],
    ['{"categoryId":1.5}', `${INT64}, not 1.5.`],
    ...['1.0000000000000000001', '-3.99999999999999999999', '1e-400', '2251799813685249.0000001'].map((sent) => [
      `{"categoryId":${sent}}`,
      `${INT64}, not a number with a fraction.`,
    ]),
  ])('of %s shows no other text than was sent', async (body, message) => {
    const answer = await app.rest('PATCH', '/pets/1', { body });
    expect([answer.status, answer.body.message]).toEqual([422, message]);
  });
});
