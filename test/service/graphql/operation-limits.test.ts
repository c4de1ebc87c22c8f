import { getIntrospectionQuery } from 'graphql';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { seed } from '../../../src/petstore/seed.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { askInVain, askStrictly, range } from './ask.ts';
import type { Mistake } from './mistakes.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
  await seed(app.database, 60, () => {});
});
afterAll(() => app?.dispose());
beforeEach(() => void app.statements.splice(0));

describe('an operation beyond the limits is rejected before anything is read', () => {
  const nested = (levels: number) =>
    `{ pets(first: 1) { nodes { ${'category { pets(first: 1) { nodes { '.repeat(levels)} id ${'} } }'.repeat(levels)} } } }`;
  const spread = (count: number, within: (next: string) => string) =>
    `{ pets(first: 1) { nodes { ...F0 } } } fragment F${count} on Pet { id }
      ${range(0, count - 1)
        .map((n) => `fragment F${n} on Pet { ${within(`...F${n + 1}`)} }`)
        .join(' ')}`;
  const thrice = (size: string) =>
    `{ pets(${size}) { nodes { category { pets(${size}) { nodes { category { pets(${size}) { nodes { id } } } } } } } } }`;
  const twoFields = (next: string) =>
    `a: category { pets(first: 1) { nodes { ${next} } } } b: category { pets(first: 1) { nodes { ${next} } } }`;
  const round = `{ __schema { types { ${'fields { type { '.repeat(9)} name ${'} }'.repeat(9)} } } }`;
  const deepList = JSON.parse('['.repeat(500) + ']'.repeat(500)) as unknown;
  const [nestedTooDeep, tooManyRows, tooManyFields] = [/deep/, /up to \d+ rows at once/, /more than \d+ fields/];
  const tooManyValues = /up to \d+ values at once/;
  const pets = (size: number, within: string) => `{ pets(first: ${size}) { nodes { ${within} } } }`;
  const each = (count: number, field: string) =>
    range(1, count)
      .map((n) => `a${n}: ${field}`)
      .join(' ');

  test.each<Mistake>([
    ...['\n', '\r', '\r\n'].map((end): Mistake => {
      const ends = end.replaceAll('\r', 'CR').replaceAll('\n', 'LF');
      return [
        `5,001 lines that end with ${ends}`,
        /more than 5000 lines/,
        `${end.repeat(5000)}{ pets { totalCount } }`,
      ];
    }),
    [
      'a field 100 times, each with the same 14 fragments',
      'The document takes too long to be checked; ask for less in one document.',
      `{ ${`pet(petId: 1) { ${range(1, 14)
        .map((n) => `...F${n}`)
        .join(' ')} } `.repeat(100)} }
        ${range(1, 14)
          .map((n) => `fragment F${n} on Pet { id }`)
          .join(' ')}`,
    ],
    ['fields nested 120 deep', nestedTooDeep, nested(40)],
    ['fields nested 900 deep', nestedTooDeep, nested(300)],
    ['selections nested 1,600 deep', nestedTooDeep, '{ a '.repeat(1600) + '}'.repeat(1600)],
    [
      'a list nested 2,400 deep',
      nestedTooDeep,
      `{ pets(id: ${'['.repeat(2400)}${']'.repeat(2400)}) { nodes { id } } }`,
    ],
    [
      'a list nested 101 deep',
      /value nested more than 100/,
      `{ pets(id: ${'['.repeat(101)}${']'.repeat(101)}) { nodes { id } } }`,
    ],
    [
      'an input object nested 101 deep',
      /value nested more than 100/,
      `mutation { createPet(pet: ${'{ name: '.repeat(101)}"A"${'}'.repeat(101)}) { id } }`,
    ],
    [
      'a type nested 101 deep',
      /value nested more than 100/,
      `query ($id: ${'['.repeat(101)}Int64${']'.repeat(101)}) { pets(id: $id) { nodes { id } } }`,
    ],
    [
      'a variable nested 500 deep',
      /must be/,
      'query ($id: [Int64!]) { pets(id: $id) { nodes { id } } }',
      { id: deepList },
    ],
    ['5,001 tokens', /5000 tokens/, `{ ${'__typename '.repeat(4999)} }`],
    ['100 of 100 of 100 rows', tooManyRows, thrice('first: 100')],
    ['the same from the end', tooManyRows, thrice('last: 100')],
    ['the same from the end, with null for the beginning', tooManyRows, thrice('first: null, last: 100')],
    ['the same by a variable', tooManyRows, `query ($n: Int) ${thrice('first: $n')}`, { n: 100 }],
    ['the same by the default of a variable', tooManyRows, `query ($n: Int = 100) ${thrice('first: $n')}`],
    [
      'the same by the default of a variable named like an inherited property',
      tooManyRows,
      `query ($__proto__: Int = 100) ${thrice('first: $__proto__')}`,
    ],
    [
      'the same beside a variable that is absent',
      tooManyRows,
      `query ($f: Int, $n: Int) ${thrice('first: $f, last: $n')}`,
      { n: 100 },
    ],
    [
      '150 lists of 100 rows with one more each',
      tooManyRows,
      `{ ${range(1, 150)
        .map((n) => `p${n}: pets(first: 100) { nodes { orders(first: 1) { nodes { id } } } }`)
        .join(' ')} }`,
    ],
    [
      '9,900 rows with a field under 150 names',
      tooManyValues,
      pets(99, `category { pets(first: 99) { nodes { ${each(150, 'name')} } } }`),
    ],
    ['100 rows with a long text 120 times', tooManyValues, pets(100, each(120, 'category { description }'))],
    [
      'introspection under 150 names',
      tooManyValues,
      `{ __schema { types { fields { type { fields { ${each(150, 'description')} } } } } } }`,
    ],
    [
      'a fragment within itself',
      /within itself/,
      '{ pets { nodes { ...A } } } fragment A on Pet { category { pets { nodes { ...A } } } }',
    ],
    [
      'fragments in a cycle',
      /within itself/,
      '{ pets { nodes { ...A } } } fragment A on Pet { ...B } fragment B on Pet { ...A }',
    ],
    [
      'a field 400 times in a fragment whose name another has',
      /repeats too many fields/,
      `{ ...A } fragment A on Query { ${'__typename '.repeat(400)} } fragment A on Query { __typename }`,
    ],
    ['fragments that double 30 times', tooManyFields, spread(30, (next) => `${next} ${next}`)],
    ['fields that double 20 times', tooManyFields, spread(20, twoFields)],
    ['cyclic introspection', /depth/, round],
  ])('%s', async (_, message, query, variables) => {
    const { status, errors = [], data } = await askStrictly(app, query, variables);
    expect(errors.map((error) => error.message).join(' ')).toMatch(message);
    expect(app.statements).toEqual([]);
    expect([400, 422]).toContain(status);
    expect(errors[0]?.extensions).toMatchObject({ status });
    expect(data).toBeUndefined();
  });

  test('but the queries of common tools are not', async () => {
    const lists = '{ categories { nodes { pets { nodes { orders { nodes { pet { category { name } } } } } } } } }';
    expect((await askStrictly(app, lists)).status).toBe(200);
    expect((await askStrictly(app, nested(3))).status).toBe(200);
    expect((await askStrictly(app, getIntrospectionQuery({ inputValueDeprecation: true }))).status).toBe(200);
    expect((await askStrictly(app, pets(100, 'id name category { id name description }'))).status).toBe(200);
    expect((await askStrictly(app, `{ ${'__typename '.repeat(60)} }`)).status).toBe(200);
  });

  test('but fragments with the same list are not, because they are merged', async () => {
    const query = `${pets(100, '...Card ...Row')} fragment Card on Pet { orders(first: 100) { nodes { id } } }
      fragment Row on Pet { orders(first: 100) { nodes { quantity } } }`;
    expect((await askStrictly(app, query)).status).toBe(200);
    const { errors = [] } = await askStrictly(app, query.replace('{ orders', '{ other: orders'));
    expect(errors[0]?.message).toMatch(tooManyRows);
  });

  test('but one is not that @skip and @include make small enough', async () => {
    const query = `query ($all: Boolean = true) {
      pets(first: 100) { nodes { a: orders(first: 100) { nodes { id } } b: orders(first: 100) @include(if: $all) { nodes { id } } } }
    }`;
    expect((await askStrictly(app, query, { all: false })).status).toBe(200);
    for (const variables of [{}, { all: true }]) {
      expect((await askStrictly(app, query, variables)).errors?.[0]?.message).toMatch(tooManyRows);
    }
  });

  test('within introspection too, where fragments can double as anywhere', async () => {
    const doubling = Array.from(
      { length: 15 },
      (_, level) => `fragment F${level} on __Type { a: ofType { ...F${level + 1} } b: ofType { ...F${level + 1} } }`,
    );
    const query = `{ __type(name: "Pet") { ...F0 } } ${doubling.join(' ')} fragment F15 on __Type { name }`;
    const deep = `{ __type(name: "Pet") { ${'ofType { '.repeat(40)} name ${'}'.repeat(40)} } }`;
    for (const document of [query, deep]) {
      for (let time = 0; time < 2; time++) {
        expect((await askInVain(app, document)).extensions).toMatchObject({ code: 'INVALID_ARGUMENT', status: 400 });
      }
    }
  });

  test('of very many errors only the first are listed', async () => {
    const query = 'query ($id: [Int64!]) { pets(id: $id) { nodes { id } } }';
    const { message, extensions } = await askInVain(app, query, { id: Array.from({ length: 4_000 }, () => 'x') });
    expect(message).toMatch(/^id\.0 must be an integer .* There are more errors\.$/);
    expect(extensions.errors).toHaveLength(20);
  });
});

const graphql = 'http://pets.example/graphql';
const documents = range(0, 100).map(
  (n) => `{ ${range(0, 190).map((i) => `d${n}_alias_of_a_field_${i}: __typename`)} }`,
);
const ofLargeBody = {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ query: '{ __typename }', extensions: { padding: 'x'.repeat(60_000) } }),
};

test.each([
  ['document', documents.map((query) => new Request(`${graphql}?${new URLSearchParams({ query })}`))],
  ['body', documents.map(() => new Request(graphql, ofLargeBody))],
])('a request whose %s waits longer for its turn than a request may take is 504', async (_, requests) => {
  const hasty = await startTestApp({ REQUEST_TIMEOUT: 50 });
  const answers = await Promise.all(requests.map((request) => hasty.fetch(request)));
  const late = answers.filter(({ status }) => status === 504);
  expect(late.length).toBeGreaterThan(0);
  for (const answer of late) {
    expect(answer.headers.get('retry-after')).toBe('1');
    expect(await answer.text()).toContain('The request took longer than 0.05 s; try again.');
  }
  await hasty.dispose();
});
