import { describe, expect, test } from 'vitest';
import {
  app,
  categoryId,
  changes,
  expectError,
  makePet,
  RESOURCES,
  resources,
  startShop,
  tagOf,
  write,
  writes,
} from './versioned.ts';

startShop();

/** As Apache's httpd makes it, when it compresses a response. */
const compressed = (tag: string) => tag.replace(/"$/, '-gzip"');

describe('If-None-Match', () => {
  test.each([...resources.map(([, { make }]) => make), async () => '/pets?limit=1'])(
    '304 without a body while the ETag is the same',
    async (makeOne) => {
      const path = await makeOne();
      const tag = await tagOf(path);
      for (const known of [tag, `W/${tag}`, `"other", ${tag}`, compressed(tag), `W/${compressed(tag)}`, '*']) {
        const answer = await app.rest('GET', path, { headers: { 'if-none-match': known } });
        expect([answer.status, answer.text, answer.headers.get('etag')]).toEqual([304, '', tag]);
        expect(answer.headers.get('content-type')).toBeNull();
      }
      const other = await app.rest('GET', path, { headers: { 'if-none-match': '"other"' } });
      expect([other.status, other.headers.get('etag')]).toEqual([200, tag]);
    },
  );

  test('an empty element of its list MUST be ignored (RFC 9110, section 5.6.1.2)', async () => {
    const path = await RESOURCES.pet.make();
    const tag = await tagOf(path);
    for (const known of [`, ${tag}`, `,, "other" ,, ${tag} ,`]) {
      expect((await app.rest('GET', path, { headers: { 'if-none-match': known } })).status).toBe(304);
      expect((await app.rest('PATCH', path, { body: {}, headers: { 'if-match': known } })).status).toBe(200);
    }
  });

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
    const [version = ''] = tag.split('-');
    for (const good of [tag, `"999", ${tag}`, compressed(tag), '*', `${version}"`, `${version}-before"`])
      expect((await read(good)).status).toBe(200);
    for (const other of ['"999"', '"999-before"', `W/${tag}`, `W/${version}"`])
      expectError(await read(other), 'PRECONDITION_FAILED', /^Its ETag is now "\d+-/);
    expect((await read('"999"', 'HEAD')).status).toBe(412);
    expectError(await read('3'), 'INVALID_ARGUMENT', /^If-Match must be/);
  });

  test('on a GET of a list: 200 only while the list has that ETag', async () => {
    const path = '/pets?limit=1';
    const read = (ifMatch: string) => app.rest('GET', path, { headers: { 'if-match': ifMatch } });
    const tag = await tagOf(path);
    for (const good of [`"other", ${tag}`, compressed(tag)]) expect((await read(good)).status).toBe(200);
    expectError(await read('"other"'), 'PRECONDITION_FAILED', /^Its ETag is now "/);
  });

  test.each(writes)('$method of a $name changes the version that it names', async ({ make, method, body }) => {
    const path = await make();
    const { status } = await write(method, path, body, { 'if-match': `"999", ${await tagOf(path)}` });
    expect(status).toBe(method === 'DELETE' ? 204 : 200);
  });

  test.each(writes)(
    '$method of a $name takes the tag that a server made which compresses',
    async ({ make, method, body }) => {
      const path = await make();
      const tag = await tagOf(path);
      const stale = await write(method, path, body, { 'if-match': '"999-before-gzip", "gzip", "1-abc-gzip"' });
      expect(stale.status).toBe(412);
      const { status } = await write(method, path, body, { 'if-match': compressed(tag) });
      expect(status).toBe(method === 'DELETE' ? 204 : 200);
    },
  );

  test.each(writes)('$method of a changed $name is 412, and changes nothing', async ({ make, method, body }) => {
    const path = await make();
    const before = await app.rest('GET', path);
    const tag = before.headers.get('etag');
    for (const [stale, expected] of [
      ['"999"', '999'],
      ['"999-before-gzip"', '999'],
      ['"other"', 'another'],
      [`W/"999", "998"`, '998'],
    ] as const) {
      const answer = await write(method, path, body, { 'if-match': stale });
      const message = new RegExp(` has version \\d+; the expected version is ${expected}\\. Read it again`);
      expectError(answer, 'PRECONDITION_FAILED', message);
    }
    const after = await app.rest('GET', path);
    expect([after.text, after.headers.get('etag')]).toEqual([before.text, tag]);
  });

  test.each(writes)('$method of a $name under a weak ETag is 412, and says why', async ({ make, method, body }) => {
    const path = await make();
    const tag = await tagOf(path);
    const answer = await write(method, path, body, { 'if-match': `W/${tag}` });
    expectError(answer, 'PRECONDITION_FAILED', /^If-Match never matches a weak ETag\. Send it without the W\//);
    expect(await tagOf(path)).toBe(tag);
  });

  test.each(writes)('$method of a missing $name is 404', async ({ make, method, body }) => {
    const path = (await make()).replace(/\d+$/, '999999');
    const { status, body: error } = await write(method, path, body, { 'if-match': '"1"' });
    expect([status, error.code]).toEqual([404, 'NOT_FOUND']);
  });

  test.each(['"1"', '"1-before"'])(
    '%s matches a row of that version, as before a release that gave it a field',
    async (tag) => {
      const path = await RESOURCES.pet.make();
      const headers = { 'if-match': tag };
      expect((await app.rest('PATCH', path, { body: { name: 'Max' }, headers })).status).toBe(200);
      expect((await app.rest('PATCH', path, { body: { name: 'Ben' }, headers })).status).toBe(412);
    },
  );

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
        Array.from({ length: 5 }, () => write(method, path, body, { 'if-match': tag })),
      );
      const won = answers.filter(({ status }) => status === 200);
      expect(won.length).toBe(1);
      expect(answers.filter(({ status }) => status === 412).length).toBe(4);
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

test('a precondition may have 2,000 characters, but not one more', async () => {
  const path = await RESOURCES.pet.make();
  const tag = await tagOf(path);
  const list = (length: number) => `${tag}, "${'x'.repeat(length - tag.length - 4)}"`;
  const statusOf = async (method: string, headers: Record<string, string>) =>
    (await app.rest(method, path, { ...(method === 'PATCH' && { body: {} }), headers })).status;
  expect(await statusOf('GET', { 'if-none-match': list(2_000) })).toBe(304);
  expect(await statusOf('PATCH', { 'if-match': list(2_000) })).toBe(200);
  expect(await statusOf('GET', { 'if-none-match': list(2_001) })).toBe(400);
  expect(await statusOf('PATCH', { 'if-match': list(2_001) })).toBe(400);
});

describe('an unsupported precondition is rejected, because ignoring it would lose an update', () => {
  test.each(['"1"', '*'])('If-None-Match: %s on a change', async (field) => {
    const path = await RESOURCES.pet.make();
    const answer = await app.rest('PATCH', path, { body: { name: 'Max' }, headers: { 'if-none-match': field } });
    expectError(answer, 'INVALID_ARGUMENT', /If-None-Match is for GET and HEAD; use If-Match with a change/);
  });

  test('any precondition on a POST', async () => {
    const body = { name: 'Rex', categoryId };
    const answer = await app.rest('POST', '/pets', { body, headers: { 'if-match': '"1"' } });
    expectError(answer, 'INVALID_ARGUMENT', /the row does not exist yet/);
  });

  test('any precondition on a POST to a row without a version to expect', async () => {
    const { body } = await app.rest('POST', '/webhooks', { body: { url: 'https://shop.example/' } });
    const answer = await app.rest('POST', `/webhooks/${body.id}/secret`, { headers: { 'if-match': '"1"' } });
    expectError(answer, 'INVALID_ARGUMENT', /^If-Match and If-None-Match cannot be used here\.$/);
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

  test('If-Match must be an ETag, and the rejection of another text names nothing else', async () => {
    const path = `/store/inventory/${await makePet()}`;
    const answer = await app.rest('PUT', path, { body: { quantity: 5 }, headers: { 'if-match': 'zz' } });
    expectError(answer, 'INVALID_ARGUMENT', /^If-Match must be ETags in their quotes, such as "3"\.$/);
  });

  test.each([
    ['another ETag', { 'if-none-match': '"1"' }],
    ['If-Match beside it', { 'if-none-match': '*', 'if-match': '"1"' }],
  ])('If-None-Match can only be *, alone: with %s, nothing is created', async (_, headers) => {
    const path = `/store/inventory/${await makePet()}`;
    const answer = await app.rest('PUT', path, { body: { quantity: 5 }, headers });
    expectError(answer, 'INVALID_ARGUMENT', /^If-None-Match must be \* here/);
    expect((await app.rest('GET', path)).status).toBe(404);
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

  test('takes one version or several; the ETag begins with the version', async () => {
    const path = await RESOURCES.pet.make();
    const id = Number(path.split('/').at(-1));
    const { data } = await app.graphql('query ($id: Int64!) { pet(petId: $id) { version } }', { id });
    expect((await tagOf(path)).split('-')[0]).toBe(`"${data.pet.version}`);
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
