import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { seed } from '../../../src/petstore/seed.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { askInVain, type Values } from './ask.ts';
import { CURSOR, expectRejection, type Mistake, PAGE_SIZE } from './mistakes.ts';

const PET = 'mutation ($pet: NewPet!) { createPet(pet: $pet) { id } }';
const ORDER = 'mutation ($changes: OrderChanges!) { updateOrder(orderId: 1, changes: $changes) { id } }';
const FIRST = 'query ($first: Int) { pets(first: $first) { nodes { id } } }';
const BLANK = 'pet.name must not be empty or only white space.';
const NO_NULL = 'pet.status must not be null; omit it instead.';
const TOO_LARGE = 9_223_372_036_854_775_808n;
const pet = (fields: Values) => ({ pet: { name: 'A', categoryId: 1, ...fields } });

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
  await seed(app.database, 60, () => {});
});
afterAll(() => app?.dispose());

describe('invalid values are VALIDATION_FAILED, 422', () => {
  test.each<Mistake>([
    ['a missing field', 'pet.categoryId is required.', PET, { pet: { name: 'A' } }],
    ['null for a required field', 'pet.name is required and must not be null.', PET, pet({ name: null })],
    ['null for an optional field', NO_NULL, PET, pet({ status: null })],
    [
      'the same in a literal',
      NO_NULL,
      'mutation { createPet(pet: { name: "A", categoryId: 1, status: null }) { id } }',
    ],
    [
      'null for a change',
      'changes.quantity must not be null; omit it instead.',
      ORDER,
      { changes: { quantity: null } },
    ],
    ...[
      'query ($n: Boolean = true) { pets(first: 1) { nodes { id name @skip(if: $n) } } }',
      'query ($n: Boolean = true) { pets(first: 1) @include(if: $n) { nodes { id } } }',
      'query ($n: Int64 = 1) { category(categoryId: $n) { id } }',
      'query ($n: Int64 = 1) { pets(id: [$n], first: 1) { nodes { id } } }',
      'query ($n: Int64 = 1) { ...F } fragment F on Query { pet(petId: $n) { id } }',
      'mutation ($n: String = "A") { createPet(pet: { name: $n, categoryId: 1 }) { id } }',
    ].map(
      (query): Mistake => [
        'null for a variable with a default, where null is not allowed',
        'n must not be null; omit it instead.',
        query,
        { n: null },
      ],
    ),
    ['a missing variable', 'pet is required.', PET, {}],
    ['null for a variable', 'pet is required and must not be null.', PET, { pet: null }],
    [
      'the same beside a variable with a default',
      'pet is required and must not be null.',
      'mutation ($pet: NewPet!, $on: Boolean = true) { createPet(pet: $pet) { id name @include(if: $on) } }',
      { pet: null },
    ],
    [
      'a blank name in the default of a variable',
      BLANK,
      'mutation ($pet: NewPet = { name: " ", categoryId: 1 }) { createPet(pet: $pet) { id } }',
    ],
    ['a list for an object', 'pet must be an object (NewPet), not a list.', PET, { pet: [] }],
    [
      'a misspelt field',
      'pet.catgory is not a field of NewPet, which accepts name, categoryId, status.',
      PET,
      pet({ catgory: 1 }),
    ],
    ['a name of white space', BLANK, PET, pet({ name: ' ' })],
    ['the same in a literal', BLANK, 'mutation { createPet(pet: { name: " ", categoryId: 1 }) { id } }'],
    [
      'the same in a literal with a variable in it',
      BLANK,
      'mutation ($name: String!) { createPet(pet: { name: $name, categoryId: 1 }) { id } }',
      { name: ' ' },
    ],
    ['a page of 101', PAGE_SIZE, FIRST, { first: 101 }],
    ['a page of 0 in a literal', PAGE_SIZE, '{ pets(first: 0) { nodes { id } } }'],
    ['a page of 101 as a default', PAGE_SIZE, 'query ($first: Int = 101) { pets(first: $first) { nodes { id } } }', {}],
    ['a page of 0 within a row', PAGE_SIZE, '{ pets(first: 1) { nodes { orders(first: 0) { nodes { id } } } } }'],
    [
      'a fraction for an integer',
      'first must be an integer from -2147483648 to 2147483647, not 1.5.',
      FIRST,
      { first: 1.5 },
    ],
    [
      'an object for a number',
      'first must be an integer from -2147483648 to 2147483647, not an object.',
      FIRST,
      { first: { toString: '' } },
    ],
    [
      'a list of objects for an enum value',
      /^sort must be one of id, .*, not a list\.$/,
      'query ($sort: PetSort) { pets(sort: $sort) { nodes { id } } }',
      { sort: [{ toString: '' }] },
    ],
    ['an integer beyond 32 bits', /^changes\.quantity must be .*2147483647/, ORDER, { changes: { quantity: 3e9 } }],
    ['an identifier as a string', /^pet\.categoryId must be an integer .*, not "1"\.$/, PET, pet({ categoryId: '1' })],
    [
      'an identifier beyond 64 bits',
      /^pet\.categoryId must be .*, not 9223372036854775808\.$/,
      PET,
      pet({ categoryId: TOO_LARGE }),
    ],
    [
      'an unknown status',
      'pet.status must be one of available, pending, sold, not "lost".',
      PET,
      pet({ status: 'lost' }),
    ],
    [
      'a date-time without its offset',
      /^changes\.shipDate must be a date-time .* offset.*, not "2026-11-21T09:30:00"\.$/,
      ORDER,
      { changes: { shipDate: '2026-11-21T09:30:00' } },
    ],
  ])('%s', (_, ...mistake) => expectRejection(app, 'VALIDATION_FAILED', 422, mistake));

  test('all errors at once, each with a pointer to its value', async () => {
    const variables = { pet: { name: '', categoryId: 'x', colour: 'red' } };
    const { message, extensions } = await askInVain(app, PET, variables);
    expect(message).toMatch(/^pet\.colour is not .* pet\.name must .* pet\.categoryId must /);
    const pointers = ['/pet/colour', '/pet/name', '/pet/categoryId'];
    expect(extensions.errors).toMatchObject(pointers.map((pointer) => ({ pointer })));
  });
});

describe('an invalid document is 400', () => {
  const MISSPELT = 'mutation { createPet(pet: { name: "A", categoryId: 1, catgory: 1 }) { id } }';

  test.each<Mistake>([
    ['a misspelt field of an input', /"catgory" is not defined by type "NewPet"/, MISSPELT],
    [
      'a field of the rows of a connection',
      /^Cannot query field "id" on type "PetConnection"\. Its rows are in "nodes": \{ nodes \{ id \} \}\.$/,
      '{ pets { id } }',
    ],
    [
      'a misspelt argument',
      /^Unknown argument "frist" on field "Query\.pets", which accepts (?:\w+, )*first, (?:\w+, )*\w+\.$/,
      '{ pets(frist: 2) { nodes { id } } }',
    ],
    [
      'an argument of a field without any',
      /^Unknown argument "locale" on field "Pet\.name", which accepts none\.$/,
      '{ pets { nodes { name(locale: "de") } } }',
    ],
    [
      'a mutation in a query',
      /^Cannot query field "deletePet" on type "Query"\. It is a mutation: mutation \{ deletePet \}\.$/,
      '{ deletePet(petId: 1) { id } }',
    ],
    ['an unknown field', /Cannot query field "nme" on type "Pet". Did you mean "name"/, '{ pets { nodes { nme } } }'],
    [
      'an identifier beyond 64 bits',
      /^9223372036854775808 must be an integer/,
      `{ category(categoryId: ${TOO_LARGE}) { id } }`,
    ],
    ['an integer beyond 32 bits', /32-bit/, '{ pets(first: 3000000000) { nodes { id } } }'],
    ['a missing argument', /"categoryId" .* is required/, '{ category { id } }'],
    ['a mistake 4,000 times over', /^The document repeats too many fields in one place/, `{ ${'nope '.repeat(4000)} }`],
  ])('GRAPHQL_VALIDATION_FAILED: %s', async (_, message, query) => {
    const { errors = [] } = await app.graphql(query);
    expect(errors[0]?.message).toMatch(message);
    for (const error of errors)
      expect(error.extensions).toMatchObject({ code: 'GRAPHQL_VALIDATION_FAILED', status: 400 });
  });

  test('GRAPHQL_PARSE_FAILED: a document that ends too soon', () =>
    expectRejection(app, 'GRAPHQL_PARSE_FAILED', 400, ['Syntax Error: Expected Name, found <EOF>.', '{ pets {']));

  test.each<[title: string, message: string, query: string, operationName?: string]>([
    [
      'no operationName for two operations',
      'The document has several operations: operationName must be one of A, B.',
      'query A { __typename } query B { __typename }',
    ],
    [
      'an operationName that none has',
      'The document has no operation "a": operationName must be one of A.',
      'query A { __typename }',
      'a',
    ],
    [
      'an operationName where the operation has none',
      'The operation of the document has no name: leave out operationName.',
      '{ __typename }',
      'A',
    ],
    ['no operation', 'The document has no operation.', 'fragment F on Pet { id }'],
  ])('INVALID_ARGUMENT: %s', async (_, message, query, operationName) => {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ query, operationName });
    const response = await app.fetch(new Request('http://pets.example/graphql', { method: 'POST', headers, body }));
    expect(response.status).toBe(400);
    const extensions = { code: 'INVALID_ARGUMENT', status: 400 };
    expect(await response.json()).toEqual({ errors: [{ message, extensions }] });
  });
});

describe('a conflict with stored rows has its own code', () => {
  test.each<[code: string, status: number, ...Mistake]>([
    [
      'UNKNOWN_REFERENCE',
      422,
      'a reference to a missing row',
      'categoryId 404 is not the id of a category.',
      PET,
      pet({ categoryId: 404 }),
    ],
    [
      'NOT_FOUND',
      404,
      'a change to a missing row',
      'No pet has the id 404.',
      'mutation { deletePet(petId: 404) { id } }',
    ],
    [
      'CONFLICT',
      409,
      'a category with pets',
      /while pets belong to it/,
      'mutation { deleteCategory(categoryId: 1) { id } }',
    ],
    [
      'OUT_OF_STOCK',
      409,
      'too little stock',
      'Pet 7 has 0 in stock; the quantity is 1.',
      'mutation { placeOrder(order: { petId: 7 }) { id } }',
    ],
    [
      'ORDER_COMPLETE',
      409,
      'a complete order',
      'Order 2 is complete and cannot be changed or cancelled.',
      'mutation { cancelOrder(orderId: 2) { id } }',
    ],
    [
      'INVALID_ARGUMENT',
      400,
      'first and last together',
      /^first and last cannot be combined/,
      '{ pets(first: 1, last: 1) { nodes { id } } }',
    ],
    ['INVALID_ARGUMENT', 400, 'a forged cursor', CURSOR, '{ pets(after: "WyJpZCIsIngiXQ") { nodes { id } } }'],
    [
      'INVALID_ARGUMENT',
      400,
      'a forged cursor within a row',
      CURSOR,
      '{ pet(petId: 1) { orders(after: "x") { nodes { id } } } }',
    ],
    [
      'INVALID_ARGUMENT',
      400,
      'a cursor of another sort',
      /^before is .*\bcursor\b.*\.$/,
      '{ pets(before: "WyJpZCIsIjEiXQ", sort: name) { nodes { id } } }',
    ],
  ])('%s, %i: %s', (code, status, _, ...mistake) => expectRejection(app, code, status, mistake));

  test('an error has its path', async () => {
    const query =
      'mutation { made: createCategory(category: { name: "A" }) { id } gone: deletePet(petId: 404) { id } }';
    const { status, data, errors } = await app.graphql(query);
    expect(status).toBe(200);
    expect(data).toBeNull();
    expect(errors).toMatchObject([{ path: ['gone'] }]);
  });
});

test('null for the variables means no variables', async () => {
  const body = { query: 'query ($first: Int) { pets(first: $first) { nodes { id } } }', variables: null };
  const { status, body: answer } = await app.rest('POST', '/graphql', { body });
  expect([status, answer.errors]).toEqual([200, undefined]);
});
