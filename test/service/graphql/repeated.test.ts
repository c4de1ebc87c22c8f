import { getIntrospectionQuery } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { seed } from '../../../src/petstore/seed.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { post } from './ask.ts';
import { answers, type Question, TIMES } from './repeat.ts';

const ONE = 'pets(first: 1) { nodes';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
  await seed(app.database, 60, () => {});
});
afterAll(() => app?.dispose());

// A document is first parsed and interpreted, then prepared, and at last compiled: clients must see no difference.
describe('a document gets the same response, byte for byte, however often it is sent', () => {
  test.each<Question>([
    [
      'keys in the order of the selection',
      '{ pets(first: 2) { pageInfo { endCursor } nodes { status id name } } __typename }',
    ],
    ['aliases', `{ z: ${ONE} { name id } } a: pets(last: 1) { nodes { id n: name } } ${ONE} { i: id id } } }`],
    ['merged selections', `{ ${ONE} { name } } ... on Query { ${ONE} { id status } } } }`],
    ['__typename at every level', `{ __typename ${ONE} { __typename id category { __typename } } __typename } }`],
    [
      'fragments within fragments',
      `{ ${ONE} { ...A } } } fragment A on Pet { id ...B } fragment B on Pet { name category { ...C } } fragment C on Category { description }`,
    ],
    ['inline fragments', `{ ${ONE} { ... { id } ... on Pet { name ... { status } } } } }`],
    [
      'connections',
      '{ inventory(first: 2, status: [pending, sold]) { totalCount edges { cursor node { petId pet { name } } } pageInfo { startCursor hasPreviousPage } } }',
    ],
    [
      'nulls',
      '{ pet(petId: 9) { inventory { quantity } } none: pet(petId: 404) { name } order(orderId: 1) { shipDate } }',
    ],
    [
      'rows within rows',
      '{ category(categoryId: 1) { pets(first: 2) { nodes { category { pets(first: 1) { nodes { orders { nodes { pet { id } } } } } } } } } }',
    ],
    [
      'an identifier beyond 2^53 as a literal',
      '{ order(orderId: 9223372036854775807) { id } pets(id: [-9223372036854775808, 1]) { nodes { id } } }',
    ],
    [
      'an identifier beyond 2^53 as a default',
      'query ($id: [Int64!] = [9223372036854775807, 1]) { orders(id: $id) { nodes { id } } }',
    ],
    [
      'an identifier beyond 2^53 in a variable',
      'query ($id: Int64!) { pets(id: [1, $id]) { nodes { id } } }',
      { id: 9_223_372_036_854_775_807n },
    ],
    [
      'a single value for a list',
      'query ($id: [Int64!]) { pets(id: $id) { nodes { id } } categories(id: 2) { nodes { id } } }',
      { id: 3 },
    ],
    [
      'a default that is used',
      'query ($first: Int = 2, $sort: PetSort = name_desc, $status: [PetStatus!] = [sold]) { pets(first: $first, sort: $sort, status: $status) { nodes { name } } }',
    ],
    [
      'a default of a required variable',
      'query ($sort: PetSort! = name) { pets(first: 2, sort: $sort) { nodes { name } } }',
    ],
    [
      'a default that null replaces',
      'query ($first: Int = 2, $sort: PetSort = name) { pets(first: $first, sort: $sort) { nodes { id } } }',
      { first: null, sort: null },
    ],
    [
      'variables that are absent',
      'query ($first: Int, $last: Int, $sort: PetSort, $name: String) { pets(first: $first, last: $last, sort: $sort, name: $name) { nodes { id } } }',
      { last: 2 },
    ],
    [
      '@include and @skip, true',
      `query ($yes: Boolean!) { ${ONE} { id @include(if: $yes) name @skip(if: $yes) ...F @include(if: $yes) } } } fragment F on Pet { status }`,
      { yes: true },
    ],
    [
      '@include and @skip, false',
      `query ($yes: Boolean!) { ${ONE} { id @include(if: $yes) name @skip(if: $yes) ...F @include(if: $yes) } } } fragment F on Pet { status }`,
      { yes: false },
    ],
    [
      '@include and @skip by a default',
      `query ($yes: Boolean = false) { a: __typename @include(if: $yes) b: __typename @skip(if: $yes) }`,
    ],
    [
      '@include and @skip of whole lists',
      `query ($yes: Boolean!) { ${ONE} { id } } two: pets(first: 2) @skip(if: $yes) { nodes { name } } }`,
      { yes: true },
    ],
    ['@skip of everything', '{ __typename @skip(if: true) }'],
    [
      'a field that is skipped in one place and selected in another',
      `query ($yes: Boolean!) { ${ONE} { name @skip(if: $yes) id name status } } }`,
      { yes: true },
    ],
    [
      'the same through fragments',
      `query ($yes: Boolean!) { ${ONE} { ...F } } } fragment F on Pet { name @skip(if: $yes) ... on Pet @include(if: $yes) { id ...G } } fragment G on Pet { category { id } name }`,
      { yes: true },
    ],
    [
      'names that JavaScript knows',
      '{ constructor: __typename toString: __typename __proto__: __typename hasOwnProperty: __typename }',
    ],
    [
      'introspection',
      getIntrospectionQuery({ specifiedByUrl: true, directiveIsRepeatable: true, inputValueDeprecation: true }),
    ],
    [
      'introspection of one type',
      'query ($name: String!) { __type(name: $name) { name fields(includeDeprecated: true) { name isDeprecated } } __typename }',
      { name: 'Query' },
    ],
    [
      'variables named like JavaScript keywords',
      'query ($__proto__: Int = 2, $constructor: PetSort, $toString: String) { pets(first: $__proto__, sort: $constructor, name: $toString) { nodes { id } } }',
    ],
    [
      'an absent variable named like a property of every object',
      'query ($constructor: Int = 2, $valueOf: String) { pets(first: $constructor, name: $valueOf) { nodes { id } } }',
    ],
    ['a failure', '{ pets(first: 0) { nodes { id } } }'],
    [
      'errors beside data',
      '{ a: pet(petId: 1) { orders(first: 0) { nodes { id } } } b: pet(petId: 2) { id } c: pet(petId: 3) { orders(last: 0) { nodes { id } } } }',
    ],
    ['an error within rows', '{ pets(first: 3) { nodes { id orders(after: "x") { nodes { id } } } } }'],
    ['wrong variables', 'query ($first: Int) { pets(first: $first) { nodes { id } } }', { first: 'x' }],
    ['a failed change', 'mutation { deletePet(petId: 404) { id } }'],
    ['a document that cannot be parsed', '{ pets {'],
    ['an unknown field', '{ nope }'],
  ])('%s', async (_, query, variables) => {
    const [first, ...later] = await answers(app, query, variables);
    for (const answer of later) expect(answer).toBe(first);
  });
});

// A fragment that is spread twice in one place is included if either of the two is.
describe('a field that one spread skips and another includes is in the response, however often the document is sent', () => {
  const conditions = [
    ['@include(if: $is)', false],
    ['@skip(if: $is)', true],
  ] as const;
  const ways = [
    ['a spread', (condition: string) => `...X ${condition}`],
    ['an inline fragment that spreads', (condition: string) => `... ${condition} { ...X }`],
  ] as const;
  const onQuery = `fragment X on Query { ${ONE} { name } } }`;
  const onPet = 'fragment X on Pet { name }';
  const places = [
    ['at the root', (both: string) => [both, onQuery]],
    ['in rows', (both: string) => [`${ONE} { id ${both} } }`, onPet]],
    [
      'in fragments within fragments',
      (both: string) => [`${ONE} { ...Y } }`, `fragment Y on Pet { ${both} } ${onPet}`],
    ],
  ] as const;

  for (const [condition, is] of conditions) {
    for (const [way, spread] of ways) {
      for (const [place, within] of places) {
        test.each([
          ['first', `${spread(condition)} ...X`],
          ['second', `...X ${spread(condition)}`],
        ])(`${condition} at ${way}, %s, ${place}`, async (_, both) => {
          const [selection, fragments] = within(both);
          const [first, ...later] = await answers(app, `query ($is: Boolean!) { ${selection} } ${fragments}`, { is });
          expect(first).toContain('"name":"');
          for (const answer of later) expect(answer).toBe(first);
        });
      }
    }
  }

  test('in another place of the response', async () => {
    const query = `query ($is: Boolean!) {
      a: ${ONE} { ...X @include(if: $is) } } b: ${ONE} { ...X } }
    } fragment X on Pet { category { name } }`;
    const [first, ...later] = await answers(app, query, { is: false });
    expect(first).toContain('"b":{"nodes":[{"category":{"name":"');
    for (const answer of later) expect(answer).toBe(first);
  });

  test('in another operation of the document', async () => {
    const query = `query A($is: Boolean!) { ${ONE} { id ...X @include(if: $is) } } }
      query B { ${ONE} { ...X } } } fragment X on Pet { name }`;
    await answers(app, query, { is: false }, 'A');
    for (const answer of await answers(app, query, {}, 'B')) expect(answer).toContain('"name":"');
  });
});

describe('text in a document is never run as code, however often it is sent', () => {
  test('in an argument', async () => {
    const text = '__MAGIC_DATE__33a9e76d_02e0_4128_8e92_3530ad3da74d(globalThis.hasRun=true)';
    const query = `mutation { createCategory(category: { name: "${text}" }) { name } }`;
    for (const answer of await answers(app, query))
      expect(JSON.parse(answer.slice(4)).data.createCategory.name).toBe(text);
    await answers(app, `{ pets(name: "${text}") { nodes { id } } }`);
    expect(globalThis).not.toHaveProperty('hasRun');
  });
});

describe('for each accepted media type the response is the same, however often the document is sent', () => {
  test.each([
    'application/json',
    'application/graphql-response+json',
    '*/*',
    'application/graphql-response+json, application/json;q=0.9',
    'multipart/mixed;deferSpec=20220824, application/json',
    'text/html;q=0.1, */*',
    'text/html',
  ])('%s', async (accept) => {
    const seen = new Set<string>();
    for (let time = 0; time < TIMES; time++) {
      const response = await post(app, '{ pets(first: 1) { nodes { id name } } }', {}, accept);
      seen.add(`${response.status} ${response.headers.get('content-type')} ${await response.text()}`);
    }
    expect([...seen]).toHaveLength(1);
  });

  test('an empty operationName matches no operation', async () => {
    const body = JSON.stringify({ query: '{ pets { totalCount } }', operationName: '' });
    const headers = { 'content-type': 'application/json' };
    for (let time = 0; time < TIMES; time++) {
      await post(app, '{ pets { totalCount } }');
      const response = await app.fetch(new Request('http://pets.example/graphql', { method: 'POST', headers, body }));
      expect(await response.text()).toContain('The operation of the document has no name');
    }
  });
});
