import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { seed } from '../../../src/petstore/seed.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { ask, range, type Values } from './ask.ts';
import { CURSOR, PAGE_SIZE } from './mistakes.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
  await seed(app.database, 60, () => {});
});
afterAll(() => app?.dispose());
beforeEach(() => void app.statements.splice(0));

describe('an invalid argument anywhere rejects the whole operation before anything is changed', () => {
  const LIST = '{ nodes { id } }';
  const MAKE = 'createCategory(category: { name: "Never made" })';

  test.each<[what: string, query: string, variables?: Values]>([
    ['a cursor in the result of a change', `mutation { ${MAKE} { pets(after: "x") ${LIST} } }`],
    ['a page size in it', `mutation ($n: Int) { ${MAKE} { pets(first: $n) ${LIST} } }`, { n: 101 }],
    ['a page size by a default', `mutation ($n: Int = 0) { ${MAKE} { pets(last: $n) ${LIST} } }`],
    ['first and last by variables', `mutation ($n: Int) { ${MAKE} { pets(first: $n, last: $n) ${LIST} } }`, { n: 1 }],
    ['a later change', `mutation { ${MAKE} { id } later: createCategory(category: { name: " " }) { id } }`],
    [
      'a variable in a later change',
      `mutation ($n: String!) { ${MAKE} { id } later: createCategory(category: { name: $n }) { id } }`,
      { n: '' },
    ],
    [
      'the address of a webhook',
      `mutation { ${MAKE} { id } later: createWebhook(webhook: { url: "ftp://shop.example" }) { id } }`,
    ],
    [
      'the id of the event after which a later change sends again',
      `mutation { ${MAKE} { id } redeliverEvents(webhookId: 1, after: "x") { id } }`,
    ],
    ['the id of an event', '{ pets { totalCount } events(after: "x") { nodes { id } } }'],
    ['a list in a fragment', `mutation { ${MAKE} { ...F } } fragment F on Category { pets(before: "x") ${LIST} }`],
    [
      'a list that is included',
      `mutation ($on: Boolean = true) { ${MAKE} { pets(after: "x") @include(if: $on) ${LIST} } }`,
    ],
    [
      'a fragment that is skipped in one place and included in another',
      `mutation ($constructor: Boolean = true) { ${MAKE} { ...F @skip(if: $constructor) ... @include(if: $constructor) { ...F } } }
        fragment F on Category { pets(first: -1) ${LIST} }`,
    ],
  ])('%s', async (_, query, variables) => {
    for (let time = 0; time < 3; time++) {
      const { data, errors } = await app.graphql(query, variables);
      expect(data).toBeUndefined();
      expect(errors).toMatchObject([{ locations: [{}], extensions: { code: expect.not.stringContaining('GRAPHQL') } }]);
    }
    expect(app.statements).toEqual([]);
  });

  test('each invalid field is listed with its location, up to 20', async () => {
    const { errors = [] } = await app.graphql(`{
      a: pets(first: 0) ${LIST}
      b: orders(after: "x", sort: shipDate) ${LIST}
      c: pet(petId: 1) { id }
    }`);
    expect(errors).toMatchObject([
      { message: PAGE_SIZE, locations: [{ line: 2, column: 7 }], extensions: { code: 'VALIDATION_FAILED' } },
      {
        message: expect.stringMatching(CURSOR),
        locations: [{ line: 3, column: 7 }],
        extensions: { code: 'INVALID_ARGUMENT' },
      },
    ]);
    const all = range(1, 100).map((n) => `p${n}: pets(first: $n) ${LIST} q${n}: pets(first: 0) ${LIST}`);
    const { errors: first = [] } = await app.graphql(`query ($n: Int) { ${all.join(' ')} }`, { n: 0 });
    expect(first).toHaveLength(20);
    expect(first.map(({ message }) => message.endsWith('. There are more errors.'))).toEqual(
      range(1, 20).map((place) => place === 20),
    );
    const fewer = `query ($n: Int) { ${all.slice(0, 10).join(' ')} }`;
    expect((await app.graphql(fewer, { n: 0 })).errors?.at(-1)?.message).toBe(PAGE_SIZE);
  });

  test('fields left out by @skip and @include are not checked: one cursor may be for either of two lists', async () => {
    const query = `query ($pets: Boolean!, $after: String) {
      pets(first: 1, after: $after) @include(if: $pets) { pageInfo { endCursor } }
      orders(first: 1, after: $after, sort: id_desc) @skip(if: $pets) { pageInfo { endCursor } }
      never: orders(first: 0) @include(if: false) ${LIST}
    }`;
    for (const pets of [true, false]) {
      let after: string | null = null;
      for (let page = 0; page < 3; page++) {
        const data = await ask(app, query, { pets, after });
        after = (data.pets ?? data.orders).pageInfo.endCursor;
      }
    }
  });
});
