import { type GraphQLObjectType, getNamedType, isObjectType } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { petStoreService } from '../../../src/petstore/service.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';

const { schema } = petStoreService;

const LARGEST = 8 * 2 ** 20;
/** The longest description of a category: 8,000 bytes. */
const LONG_TEXT = '\u{1F415}'.repeat(2_000);

let app: TestApp;
let categoryId: number;

beforeAll(async () => {
  app = await startTestApp();
  const { body } = await app.rest('POST', '/categories', { body: { name: 'Long', description: LONG_TEXT } });
  categoryId = body.id;
  for (let n = 0; n < 100; n++) await app.rest('POST', '/pets', { body: { name: 'Rex', categoryId } });
});
afterAll(() => app?.dispose());

/** Selects the long text this many times for each of 100 pets. */
function ask(times: number, rest = '') {
  const texts = Array.from({ length: times }, (_, n) => `a${n}: description`).join(' ');
  const query = `{ pets(first: 100, categoryId: [${categoryId}]) { nodes { category { ${texts} } ${rest} } } }`;
  const body = JSON.stringify({ query });
  const headers = { 'content-type': 'application/json', accept: 'application/graphql-response+json' };
  return app.fetch(new Request('http://pets.example/graphql', { method: 'POST', headers, body }));
}

describe('a response', () => {
  test('may have nearly 8 MiB; a request that may exceed it is 400 before anything is read', async () => {
    const large = await (await ask(10)).text();
    expect(Buffer.byteLength(large)).toBeGreaterThan(0.9 * LARGEST);
    expect(Buffer.byteLength(large)).toBeLessThan(LARGEST);
    app.statements.length = 0;
    const rejected = await ask(11);
    const { errors } = (await rejected.json()) as { errors: { message: string; extensions: object }[] };
    expect([rejected.status, errors[0]?.extensions]).toMatchObject([400, { code: 'INVALID_ARGUMENT' }]);
    expect(errors[0]?.message).toContain(`the maximum is ${LARGEST}`);
    expect(app.statements).toEqual([]);
  });

  test('has the same maximum when its operation is prepared, compiled, and full of aliases', async () => {
    for (let time = 0; time < 12; time++) expect((await ask(98)).status).toBe(400);
  });

  test('that turns out longer than its document suggests is 400 all the same', async () => {
    // JSON escapes take six bytes each; any other character takes four at most.
    const name = '\u0001'.repeat(2_000);
    await app.rest('PUT', `/categories/${categoryId}`, { body: { name: 'Long', description: name } });
    const rejected = await ask(10);
    const { errors } = (await rejected.json()) as { errors: { message: string }[] };
    expect([rejected.status, errors[0]?.message]).toEqual([400, expect.stringContaining(`${LARGEST} bytes (8 MiB)`)]);
    await app.rest('PUT', `/categories/${categoryId}`, { body: { name: 'Long', description: LONG_TEXT } });
  });

  test.each([
    [10, `${LARGEST} bytes (8 MiB)`],
    [1, 'at most 1048576 characters'],
  ])(
    'to a change with an Idempotency-Key that is too long with %d texts is 400, and nothing is changed',
    async (times, most) => {
      await app.rest('PUT', `/categories/${categoryId}`, {
        body: { name: 'Long', description: '\u0001'.repeat(2_000) },
      });
      const texts = Array.from({ length: times }, (_, n) => `a${n}: description`).join(' ');
      const query = `mutation {
      createPet(pet: { name: "Undone", categoryId: ${categoryId} }) {
        category { pets(first: 100) { nodes { category { ${texts} } } } }
      }
    }`;
      const { body } = await app.rest('POST', '/graphql', { body: { query }, headers: { 'idempotency-key': 'long' } });
      expect(body.errors[0].message).toContain(most);
      expect((await app.rest('GET', '/pets?name=Undone')).body).toEqual([]);
      await app.rest('PUT', `/categories/${categoryId}`, { body: { name: 'Long', description: LONG_TEXT } });
    },
  );
});

test('every text field of a row in a list declares its maximum length, which bounds the response', () => {
  const rows = Object.values(schema.getTypeMap())
    .filter(isObjectType)
    .filter(({ name }) => name.endsWith('Connection'))
    .map((type) => getNamedType(type.getFields().nodes?.type) as GraphQLObjectType);
  const texts = rows.flatMap((type) =>
    Object.values(type.getFields())
      .filter((field) => ['String', 'ID'].includes(getNamedType(field.type).name))
      .map(({ name, extensions }) => [`${type.name}.${name}`, extensions.maxLength ?? extensions.bytes]),
  );
  expect(texts.length).toBeGreaterThan(2);
  expect(texts.filter(([, length]) => typeof length !== 'number')).toEqual([]);
});
