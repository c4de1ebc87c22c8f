import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RestAnswer, startTestApp, type TestApp } from '../../support/app.ts';

let app: TestApp;
let categoryId: number;

beforeAll(async () => {
  app = await startTestApp();
  categoryId = await make('/categories', { name: 'Dogs' });
});
afterAll(() => app.dispose());

async function make(path: string, body: object): Promise<number> {
  return (await app.rest('POST', path, { body })).body.id;
}

const makePet = () => make('/pets', { name: 'Rex', categoryId });

/** The resources with a version: how to create each, and the requests that change it. */
const RESOURCES = {
  pet: {
    make: async () => `/pets/${await makePet()}`,
    changes: [
      ['PUT', () => ({ name: 'Max', categoryId })],
      ['PATCH', () => ({ name: 'Ben' })],
    ],
  },
  category: {
    make: async () => `/categories/${await make('/categories', { name: 'Cats' })}`,
    changes: [
      ['PUT', () => ({ name: 'Owls' })],
      ['PATCH', () => ({ name: 'Emus' })],
    ],
  },
  order: {
    make: async () => `/store/orders/${await make('/store/orders', { petId: await makePet(), quantity: 2 })}`,
    changes: [['PATCH', () => ({ quantity: 3 })]],
  },
  'inventory entry': {
    make: async () => {
      const path = `/store/inventory/${await makePet()}`;
      await app.rest('PUT', path, { body: { quantity: 5 } });
      return path;
    },
    changes: [['PUT', () => ({ quantity: 7 })]],
  },
} as const;

const resources = Object.entries(RESOURCES);
const changes = resources.flatMap(([name, { make, changes: all }]) =>
  all.map(([method, body]) => ({ name, make, method, body })),
);
const writes = [
  ...changes,
  ...resources.map(([name, { make }]) => ({ name, make, method: 'DELETE', body: undefined })),
];

async function tagOf(path: string): Promise<string> {
  return (await app.rest('GET', path)).headers.get('etag') as string;
}

function write(method: string, path: string, body: (() => object) | undefined, headers: Record<string, string>) {
  return app.rest(method, path, { headers, ...(body && { body: body() }) });
}

const STATUSES = { PRECONDITION_FAILED: 412, INVALID_ARGUMENT: 400 };

function expectError({ status, body }: RestAnswer, code: keyof typeof STATUSES, message: RegExp): void {
  expect([status, body.status, body.code]).toEqual([STATUSES[code], STATUSES[code], code]);
  expect(body.message).toMatch(message);
}

describe('an ETag', () => {
  test.each(resources)('of a %s is strong, and stays the same until the row changes', async (_, { make }) => {
    const path = await make();
    const tag = await tagOf(path);
    expect(tag).toMatch(/^"\d+"$/);
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

describe('If-None-Match', () => {
  test.each([...resources.map(([, { make }]) => make), async () => '/pets?limit=1'])(
    '304 without a body while the ETag is the same',
    async (makeOne) => {
      const path = await makeOne();
      const tag = await tagOf(path);
      for (const known of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
        const answer = await app.rest('GET', path, { headers: { 'if-none-match': known } });
        expect([answer.status, answer.text, answer.headers.get('etag')]).toEqual([304, '', tag]);
        expect(answer.headers.get('content-type')).toBeNull();
      }
      const other = await app.rest('GET', path, { headers: { 'if-none-match': '"other"' } });
      expect([other.status, other.headers.get('etag')]).toEqual([200, tag]);
    },
  );

  test('304 has the header fields of a deprecated operation', async () => {
    const path = await RESOURCES.pet.make();
    const { headers } = await app.rest('GET', path, { headers: { 'if-none-match': await tagOf(path) } });
    expect(headers.get('deprecation')).toBe('@1782864000');
  });

  test('a missing row is 404 all the same', async () => {
    expect((await app.rest('GET', '/pets/999999', { headers: { 'if-none-match': '*' } })).status).toBe(404);
  });
});

describe('If-Match', () => {
  test.each(resources)('on a GET of a %s: 200 only while the row has that ETag', async (_, { make }) => {
    const path = await make();
    const tag = await tagOf(path);
    const read = (ifMatch: string, method = 'GET') => app.rest(method, path, { headers: { 'if-match': ifMatch } });
    for (const good of [tag, `"999", ${tag}`, '*']) expect((await read(good)).status).toBe(200);
    for (const other of ['"999"', `W/${tag}`])
      expectError(await read(other), 'PRECONDITION_FAILED', /^Its ETag is now "\d+"/);
    expect((await read('"999"', 'HEAD')).status).toBe(412);
    expectError(await read('3'), 'INVALID_ARGUMENT', /^If-Match must be/);
  });

  test.each(writes)('$method of a $name changes the version that it names', async ({ make, method, body }) => {
    const path = await make();
    const { status } = await write(method, path, body, { 'if-match': `"999", ${await tagOf(path)}` });
    expect(status).toBe(method === 'DELETE' ? 204 : 200);
  });

  test.each(writes)('$method of a changed $name is 412, and changes nothing', async ({ make, method, body }) => {
    const path = await make();
    const before = await app.rest('GET', path);
    const tag = before.headers.get('etag');
    for (const stale of ['"999"', '"other"', `W/${tag}`]) {
      const answer = await write(method, path, body, { 'if-match': stale });
      expectError(answer, 'PRECONDITION_FAILED', /has version \d+; the expected version is /);
    }
    const after = await app.rest('GET', path);
    expect([after.text, after.headers.get('etag')]).toEqual([before.text, tag]);
  });

  test.each(writes)('$method of a missing $name is 404', async ({ make, method, body }) => {
    const path = (await make()).replace(/\d+$/, '999999');
    const { status, body: error } = await write(method, path, body, { 'if-match': '"1"' });
    expect([status, error.code]).toEqual([404, 'NOT_FOUND']);
  });

  test('is compared character by character: a leading zero makes another ETag', async () => {
    const path = await RESOURCES.pet.make();
    const tag = (await tagOf(path)).replace('"', '"0');
    const answer = await app.rest('PATCH', path, { body: { name: 'Max' }, headers: { 'if-match': tag } });
    expectError(answer, 'PRECONDITION_FAILED', /has version 1; the expected version is another/);
  });

  test('* matches any existing row', async () => {
    const path = await RESOURCES.pet.make();
    expect((await app.rest('PATCH', path, { body: { name: 'Max' }, headers: { 'if-match': '*' } })).status).toBe(200);
  });

  test('of many concurrent writers with the same version, one succeeds', async () => {
    for (const { make, method, body } of changes) {
      const path = await make();
      const tag = await tagOf(path);
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => write(method, path, body, { 'if-match': tag })),
      );
      const won = answers.filter(({ status }) => status === 200);
      expect(won.length).toBe(1);
      expect(answers.filter(({ status }) => status === 412).length).toBe(19);
    }
  });

  test.each(['3', '"3', 'W/3', '', '"a" "b', '"3";q=1'])(
    '%s is no ETag: 400, and nothing is changed',
    async (field) => {
      const path = await RESOURCES.pet.make();
      const answer = await app.rest('PATCH', path, { body: { name: 'Max' }, headers: { 'if-match': field } });
      expectError(answer, 'INVALID_ARGUMENT', /^If-Match must be \* or ETags in their quotes/);
      expect((await app.rest('GET', path)).body.name).toBe('Rex');
    },
  );
});

describe('an unsupported precondition is rejected, because ignoring it would lose an update', () => {
  test('If-None-Match on a change', async () => {
    const path = await RESOURCES.pet.make();
    const answer = await app.rest('PATCH', path, { body: { name: 'Max' }, headers: { 'if-none-match': '"1"' } });
    expectError(answer, 'INVALID_ARGUMENT', /If-None-Match is for GET and HEAD; use If-Match with a change/);
  });

  test('any precondition on a POST', async () => {
    const body = { name: 'Rex', categoryId };
    const answer = await app.rest('POST', '/pets', { body, headers: { 'if-match': '"1"' } });
    expectError(answer, 'INVALID_ARGUMENT', /the row does not exist yet/);
  });
});

describe('PUT /store/inventory/{petId}', () => {
  test('If-None-Match: * creates an entry, and never replaces one', async () => {
    const path = `/store/inventory/${await makePet()}`;
    const begin = () => app.rest('PUT', path, { body: { quantity: 5 }, headers: { 'if-none-match': '*' } });
    const answers = await Promise.all(Array.from({ length: 10 }, begin));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(412)]);
    expect(answers.find(({ status }) => status === 412)?.body.message).toMatch(
      /^The inventory entry of pet \d+ already exists, with version \d+; it must not exist\./,
    );
    await app.rest('DELETE', path);
    expect((await begin()).status).toBe(201);
  });

  test('If-Match needs an existing entry, and never creates one', async () => {
    const path = `/store/inventory/${await makePet()}`;
    for (const tag of ['"0"', '"1"']) {
      const answer = await app.rest('PUT', path, { body: { quantity: 5 }, headers: { 'if-match': tag } });
      expectError(answer, 'PRECONDITION_FAILED', /does not exist, so it has no version/);
      expect((await app.rest('GET', path)).status).toBe(404);
    }
  });

  test('If-Match: * is rejected, because it could create an entry', async () => {
    const path = `/store/inventory/${await makePet()}`;
    const answer = await app.rest('PUT', path, { body: { quantity: 5 }, headers: { 'if-match': '*' } });
    expectError(answer, 'INVALID_ARGUMENT', /send the ETag/);
  });
});

describe('expectedVersion on GraphQL', () => {
  const rename = `mutation ($id: Int64!, $name: String = "Max", $expected: [Int64!]) {
    updatePet(petId: $id, changes: { name: $name }, expectedVersion: $expected) { name version }
  }`;

  test('takes one version or several; the version is the number in the ETag', async () => {
    const path = await RESOURCES.pet.make();
    const id = Number(path.split('/').at(-1));
    const { data } = await app.graphql('query ($id: Int64!) { pet(petId: $id) { version } }', { id });
    expect(`"${data.pet.version}"`).toBe(await tagOf(path));
    const first = await app.graphql(rename, { id, expected: data.pet.version });
    expect(first.data.updatePet).toEqual({ name: 'Max', version: data.pet.version + 1 });
    const second = await app.graphql(rename, { id, name: 'Leo', expected: [data.pet.version, data.pet.version + 1] });
    expect(second.data.updatePet.version).toBe(data.pet.version + 2);
    const third = await app.graphql(rename, { id });
    expect(third.data.updatePet.version).toBe(data.pet.version + 3);
  });

  test('rejects a row of another version with PRECONDITION_FAILED', async () => {
    const path = await RESOURCES.pet.make();
    const id = Number(path.split('/').at(-1));
    const { data, errors } = await app.graphql(rename, { id, expected: 41 });
    expect(data).toBeNull();
    expect(errors?.[0]?.message).toBe(
      `Pet ${id} has version 1; the expected version is 41. Read it again before you change it.`,
    );
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'PRECONDITION_FAILED', status: 412 });
  });
});
