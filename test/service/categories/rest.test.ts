import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';

interface Category {
  readonly id: number;
  readonly name: string;
  readonly description?: string;
}

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.dispose());

async function make(fields: Omit<Category, 'id'>): Promise<Category> {
  const { status, body } = await app.rest('POST', '/categories', { body: fields });
  expect(status).toBe(201);
  return body;
}

async function read(id: number): Promise<Category> {
  const { status, body } = await app.rest('GET', `/categories/${id}`);
  expect(status).toBe(200);
  return body;
}

async function names(query: string): Promise<string[]> {
  const { status, body } = await app.rest('GET', `/categories?limit=100&${query}`);
  expect(status).toBe(200);
  return body.map((category: Category) => category.name);
}

describe('POST /categories', () => {
  test('a new category gets an id and a URL', async () => {
    const fields = { name: 'Dogs', description: 'Companions of every size.' };
    const { status, headers, body } = await app.rest('POST', '/categories', { body: fields });
    expect(status).toBe(201);
    expect(body).toEqual({ id: expect.any(Number), ...fields });
    expect(headers.get('location')).toBe(`http://pets.example/categories/${body.id}`);
    expect(await read(body.id)).toEqual(body);
  });

  test('a description that was not given is absent, never null', async () => {
    const { id } = await make({ name: 'Cats' });
    const { text } = await app.rest('GET', `/categories/${id}`);
    expect(text).toBe(`{"id":${id},"name":"Cats"}`);
    expect((await app.rest('GET', `/categories?id=${id}`)).text).toBe(`[${text}]`);
  });

  test('an empty description is a description', async () => {
    const { id } = await make({ name: 'Cats', description: '' });
    expect(await read(id)).toEqual({ id, name: 'Cats', description: '' });
  });

  test.each([
    ['2000 letters', 'x'.repeat(2000)],
    ['2000 emoji', '🐕'.repeat(2000)],
    ['only white space', ' \t\n '],
    ['quotes and control characters', '"\\\'\u0001\u007f'],
  ])('a description is kept to its last character: %s', async (_, description) => {
    const category = await make({ name: 'Dogs', description });
    expect(category.description).toBe(description);
    expect(await read(category.id)).toEqual(category);
  });

  test('a name of 200 emoji is kept, and names are not unique', async () => {
    const name = '🐈'.repeat(200);
    const [one, other] = [await make({ name }), await make({ name })];
    expect(one.name).toBe(name);
    expect(other).toEqual({ id: other.id, name });
    expect(other.id).not.toBe(one.id);
  });

  test('an id is assigned, never taken from the client', async () => {
    const { status, body } = await app.rest('POST', '/categories', { body: { id: 4711, name: 'Dogs' } });
    expect(status).toBe(422);
    expect(body).toEqual({
      code: 'VALIDATION_FAILED',
      message: expect.stringMatching(/^id is read-only/),
      status: 422,
    });
  });
});

describe('GET /categories/{categoryId}', () => {
  test('a missing category is 404', async () => {
    const { status, body } = await app.rest('GET', '/categories/987654');
    expect(status).toBe(404);
    expect(body).toEqual({ code: 'NOT_FOUND', message: 'No category has the id 987654.', status: 404 });
  });
});

describe('PUT /categories/{categoryId}', () => {
  test('replaces the whole category: an omitted description is removed', async () => {
    const { id } = await make({ name: 'Dogs', description: 'Companions.' });
    const replaced = await app.rest('PUT', `/categories/${id}`, { body: { name: 'Hounds' } });
    expect(replaced.status).toBe(200);
    expect(replaced.text).toBe(`{"id":${id},"name":"Hounds"}`);
    expect(await read(id)).toEqual({ id, name: 'Hounds' });

    const described = await app.rest('PUT', `/categories/${id}`, { body: { name: 'Hounds', description: 'Fast.' } });
    expect(described.body).toEqual({ id, name: 'Hounds', description: 'Fast.' });
    expect(await read(id)).toEqual(described.body);
  });

  test('accepts the body of a GET, with its id', async () => {
    const category = await make({ name: 'Dogs', description: 'Companions.' });
    const { status, body } = await app.rest('PUT', `/categories/${category.id}`, { body: await read(category.id) });
    expect(status).toBe(200);
    expect(body).toEqual(category);
  });

  test('rejects another id', async () => {
    const category = await make({ name: 'Dogs' });
    const body = { id: category.id + 1, name: 'Hounds' };
    const rejected = await app.rest('PUT', `/categories/${category.id}`, { body });
    expect(rejected.status).toBe(422);
    expect(rejected.body.message).toBe(`id is read-only: it must be ${category.id}, as in the path, or be omitted.`);
    expect(await read(category.id)).toEqual(category);
  });

  test('null does not remove the description; omitting it does', async () => {
    const category = await make({ name: 'Dogs', description: 'Companions.' });
    const body = { name: 'Dogs', description: null };
    const rejected = await app.rest('PUT', `/categories/${category.id}`, { body });
    expect(rejected.status).toBe(422);
    expect(rejected.body.message).toBe('description must not be null; omit it instead.');
    expect(await read(category.id)).toEqual(category);
  });

  test('never creates a category', async () => {
    const { status, body } = await app.rest('PUT', '/categories/987654', { body: { name: 'Dogs' } });
    expect(status).toBe(404);
    expect(body).toEqual({ code: 'NOT_FOUND', message: 'No category has the id 987654.', status: 404 });
  });
});

describe('PATCH /categories/{categoryId}', () => {
  const patch = (id: number, body: object) => app.rest('PATCH', `/categories/${id}`, { body });

  test('changes the given fields, and keeps the others', async () => {
    const category = await make({ name: 'Dogs', description: 'Companions.' });
    const { status, body, headers } = await patch(category.id, { name: 'Hounds' });
    expect([status, body]).toEqual([200, { ...category, name: 'Hounds' }]);
    expect([headers.get('api-stability'), headers.get('etag')]).toEqual(['beta', expect.stringMatching(/^"2-/)]);
    expect((await patch(category.id, { description: 'Fast.' })).body).toEqual({
      id: category.id,
      name: 'Hounds',
      description: 'Fast.',
    });
    expect(await read(category.id)).toEqual({ id: category.id, name: 'Hounds', description: 'Fast.' });
  });

  test('null removes the description, and is an error for the name', async () => {
    const { id } = await make({ name: 'Dogs', description: 'Companions.' });
    expect((await patch(id, { description: null })).text).toBe(`{"id":${id},"name":"Dogs"}`);
    const rejected = await patch(id, { name: null });
    expect([rejected.status, rejected.body.message]).toEqual([422, 'name must not be null; omit it instead.']);
  });

  test('never creates a category', async () => {
    const { status, body } = await patch(987654, { name: 'Dogs' });
    expect([status, body.code]).toEqual([404, 'NOT_FOUND']);
  });
});

describe('DELETE /categories/{categoryId}', () => {
  test('the category is deleted; a second time is 404', async () => {
    const { id } = await make({ name: 'Dogs' });
    const { status, text, headers } = await app.rest('DELETE', `/categories/${id}`);
    expect({ status, text }).toEqual({ status: 204, text: '' });
    expect(headers.get('content-type')).toBeNull();
    const again = await app.rest('DELETE', `/categories/${id}`);
    expect(again.status).toBe(404);
    expect(again.body).toEqual({ code: 'NOT_FOUND', message: `No category has the id ${id}.`, status: 404 });
    expect((await app.rest('GET', `/categories?id=${id}`)).body).toEqual([]);
  });

  test('a category with pets cannot be deleted until the last pet is', async () => {
    const category = await make({ name: 'Dogs', description: 'Companions.' });
    const pet = await app.rest('POST', '/pets', { body: { name: 'Rex', categoryId: category.id } });
    const { status, body } = await app.rest('DELETE', `/categories/${category.id}`);
    expect(status).toBe(409);
    expect(body.code).toBe('CONFLICT');
    expect(body.message).toBe(`Category ${category.id} cannot be deleted while pets belong to it.`);
    expect(await read(category.id)).toEqual(category);
    expect((await app.rest('GET', `/pets?categoryId=${category.id}`)).body).toEqual([pet.body]);

    await app.rest('DELETE', `/pets/${pet.body.id}`);
    expect((await app.rest('DELETE', `/categories/${category.id}`)).status).toBe(204);
  });
});

describe('GET /categories', () => {
  test('returns an array in the order of ids', async () => {
    const made = [await make({ name: 'Zebras' }), await make({ name: 'Ants', description: 'Many.' })];
    const [first, second] = made.map(({ id }) => id);
    const { status, body } = await app.rest('GET', `/categories?id=${second}&id=${first}`);
    expect(status).toBe(200);
    expect(body).toEqual(made);
    expect((await app.rest('GET', '/categories?id=0')).text).toBe('[]');
  });

  test('id and name must both match; a repeated id matches any of its values', async () => {
    const one = await make({ name: 'Filter one' });
    const other = await make({ name: 'Filter other' });
    expect(await names(`id=${one.id}&id=${other.id}&name=filter+O`)).toEqual(['Filter one', 'Filter other']);
    expect(await names(`id=${one.id}&id=${other.id}&name=filter%20on`)).toEqual(['Filter one']);
    expect(await names(`id=${one.id}&name=filter+ot`)).toEqual([]);
  });

  test.each([
    ['Éclair', 'éCL'],
    ['école', 'É'],
    ['50% more', '50%'],
    ['under_score', 'under_'],
    ['back\\slash', 'BACK\\'],
    ['🐠 fish', '🐠'],
  ])('name finds %s by its prefix %s, in any case and letter by letter', async (name, prefix) => {
    await make({ name });
    const found = await names(`name=${encodeURIComponent(prefix)}`);
    expect(found).toContain(name);
    expect(found.filter((each) => !each.toLowerCase().startsWith(prefix.toLowerCase()))).toEqual([]);
  });

  test('name has no wildcards: %, _ and \\ match themselves', async () => {
    await make({ name: 'wild cards' });
    expect(await names('name=wild%25')).toEqual([]);
    expect(await names('name=wild_cards')).toEqual([]);
    expect(await names('name=%5C%25')).toEqual([]);
    expect(await names('name=WILD%20')).toEqual(['wild cards']);
  });
});
