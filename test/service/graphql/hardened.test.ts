import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';

let standard: TestApp;
let hardened: TestApp;

beforeAll(async () => {
  standard = await startTestApp();
  hardened = await startTestApp({ INTROSPECTION: 'off', PLAYGROUND: 'off', NODE_ENV: 'production' });
});
afterAll(async () => {
  await Promise.all([standard.dispose(), hardened.dispose()]);
});

const browse = (app: TestApp, path: string) =>
  app.fetch(new Request(`http://pets.example${path}`, { headers: { accept: 'text/html' } }));

describe('INTROSPECTION=off', () => {
  test.each([
    '{ __schema { types { name } } }',
    '{ __type(name: "Pet") { name } }',
    '{ ...All } fragment All on Query { a: __schema { queryType { name } } }',
  ])('rejects %s', async (query) => {
    expect((await standard.graphql(query)).errors).toBeUndefined();
    const { data, errors } = await hardened.graphql(query);
    expect(data).toBeUndefined();
    expect(errors?.[0]?.message).toMatch(/introspection has been disabled/);
  });

  test.each<[what: string, query: string, value: unknown, names: RegExp]>([
    [
      'a field',
      'mutation ($v: NewPet!) { createPet(pet: $v) { id } }',
      { name: 'A', categoryId: 1, nme: 1 },
      /accepts name/,
    ],
    ['an enum value', 'query ($v: PetSort) { pets(sort: $v) { nodes { id } } }', 'nme', /one of id, id_desc/],
    ['an enum value in a list', 'query ($v: [PetStatus!]) { pets(status: $v) { nodes { id } } }', ['sld'], /available/],
  ])('an error about a misspelt %s in a variable suggests no names', async (_, query, v, names) => {
    const messageOf = async (app: TestApp) =>
      (await app.graphql(query, { v })).errors?.map(({ message }) => message).join(' ');
    expect(await messageOf(standard)).toMatch(names);
    expect(await messageOf(hardened)).toMatch(/^v\b/);
    expect(await messageOf(hardened)).not.toMatch(names);
  });

  test('leaves __typename and everything else available', async () => {
    expect((await hardened.graphql('{ __typename pets { __typename totalCount } }')).errors).toBeUndefined();
  });

  test('removes /schema.graphql, and its link on the home page', async () => {
    expect((await browse(standard, '/schema.graphql')).status).toBe(200);
    expect((await browse(hardened, '/schema.graphql')).status).toBe(404);
    expect(await (await browse(standard, '/')).text()).toContain('/schema.graphql');
    expect(await (await browse(hardened, '/')).text()).not.toContain('/schema.graphql');
  });
});

test('with PLAYGROUND=off a browser gets the same response as any client', async () => {
  expect((await browse(standard, '/graphql')).headers.get('content-type')).toMatch('text/html');
  expect((await browse(hardened, '/graphql')).headers.get('content-type') ?? '').not.toMatch('text/html');
  for (const path of ['/', '/reference'])
    expect(await (await browse(hardened, path)).text()).not.toContain('playground');
});

test('the page of the playground names files that browsers keep, because others would have other addresses', async () => {
  const page = await (await browse(standard, '/graphql')).text();
  // Without those of GraphiQL, which are large.
  const paths = page.match(/\/playground\/\w+\/(?:start\.js|playground\.css)/g) ?? [];
  expect(paths).toHaveLength(2);
  for (const path of paths) {
    const { status, headers } = await browse(standard, path);
    expect([status, headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable']);
  }
});

describe.each([
  ['INTROSPECTION=off', { INTROSPECTION: 'off' }],
  ['NODE_ENV=production', { NODE_ENV: 'production' }],
] as const)('%s', (_, settings) => {
  let quiet: TestApp;
  beforeAll(async () => {
    quiet = await startTestApp(settings);
  });
  afterAll(() => quiet.dispose());

  test.each([
    ['a field', '{ pets { nodes { nme } } }'],
    ['an argument', '{ pets(fist: 1) { totalCount } }'],
    ['a type', 'query ($id: Int46) { pets { totalCount } }'],
    ['a field of an input', 'mutation { createPet(pet: { nam: "A", categoryId: 1 }) { id } }'],
    ['an enum value', '{ pets(sort: nme) { totalCount } }'],
  ])('an error about a misspelt %s suggests no names', async (_, query) => {
    const messageOf = async (app: TestApp) =>
      (await app.graphql(query)).errors?.map(({ message }) => message).join(' ');
    expect(await messageOf(standard)).toMatch(/Did you mean|which accepts/);
    expect(await messageOf(quiet)).not.toMatch(/Did you mean|which accepts/);
  });
});

describe('an operation may have', () => {
  const many = (count: number, make: (n: number) => string) =>
    Array.from({ length: count }, (_, n) => make(n)).join(' ');
  const rejection = async (query: string) => (await standard.graphql(query)).errors?.[0];

  test.each([
    ['200 aliases', (n: number) => `{ ${many(n, (i) => `a${i}: __typename`)} }`, 200, /more than 200 aliases/],
    [
      '200 aliases, with those of its fragments for each use',
      (n: number) => `{ ${many(n / 2, () => '...Two')} } fragment Two on Query { a: __typename b: __typename }`,
      200,
      /more than 200 aliases/,
    ],
    [
      '200 directives',
      (n: number) => `{ ${many(n, () => '__typename @include(if: true)')} }`,
      200,
      /more than 200 directives/,
    ],
    [
      '200 directives with those of its fragments',
      (n: number) => `{ ${many(n / 2, () => '... on Query @include(if: true) { __typename @skip(if: false) }')} }`,
      200,
      /more than 200 directives/,
    ],
  ])('%s, but not one more', async (_, query, max, message) => {
    expect(await rejection(query(max))).toBeUndefined();
    const error = await rejection(query(max + 2));
    expect(error?.message).toMatch(message);
    expect(error?.extensions).toMatchObject({ code: 'INVALID_ARGUMENT', status: 400 });
  });
});
