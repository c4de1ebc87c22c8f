import { asking, type Hostile, keys, many, nested } from './build.ts';

const MEBIBYTE = 2 ** 20;
const BY_IDS = 'query ($ids: [Int64!]) { pets(id: $ids) { totalCount } }';
const CREATE = 'mutation ($pet: NewPet!) { createPet(pet: $pet) { id } }';

export const size: readonly Hostile[] = [
  ['a list of 200,000', asking(`{ pets(id: [${'1 '.repeat(200_000)}]) { totalCount } }`)],
  ['a list of 4,900 wrong items', asking(`{ pets(id: [${many(4900, (n) => `"${n}"`)}]) { totalCount } }`)],
  ['a text of a megabyte', asking(`{ pets(name: "${'x'.repeat(MEBIBYTE - 200)}") { totalCount } }`)],
  ['a text of 300,000 lines', asking(`{ pets(name: """${'\n '.repeat(300_000)}""") { totalCount } }`)],
  [
    '2,000 failures in 48,000 lines',
    asking(
      `${'\n'.repeat(48_000)}{ pets(first: 100) { nodes { ${many(20, (n) => `a${n}: category { pets(first: 1, last: 1) { totalCount } }`)} } } }`,
    ),
  ],
  ['a comment of 300,000 lines', asking(`${'#\n'.repeat(300_000)}{ nope }`)],
  ['an integer of a million digits', asking(`{ pet(petId: ${'9'.repeat(1_000_000)}) { id } }`)],
  ['an integer of 90,000 digits', asking(`{ pet(petId: ${'9'.repeat(90_000)}) { id } }`)],
  ['a page of 90,000 digits', asking(`{ pets(first: ${'9'.repeat(90_000)}) { totalCount } }`)],
  ['a name of a megabyte', asking(`{ ${'x'.repeat(MEBIBYTE - 200)} }`)],
  [
    'a name of 90,000 letters in 200 errors',
    asking(`query ${'x'.repeat(90_000)} (${many(200, (n) => `$v${n}: Int`)}) { __typename }`),
  ],
  [
    'the name of an operation of a megabyte',
    asking('query A { __typename }', { operationName: 'x'.repeat(1_000_000) }),
  ],
];

export const variables: readonly Hostile[] = [
  ['500,000 ids', given(`{"ids":[${'1,'.repeat(500_000)}1]}`)],
  ['500,000 ids, one of them long', given(`{"ids":[1234567890123456789,${'1,'.repeat(500_000)}1]}`)],
  ['260,000 wrong ids', given(`{"ids":[${'"x",'.repeat(250_000)}1]}`)],
  [
    '4,900 ids under 190 names',
    given(
      `{"ids":[${'1,'.repeat(4_899)}1]}`,
      `query ($ids: [Int64!]) { ${many(190, (n) => `p${n}: pets(id: $ids, first: 1) { totalCount }`)} }`,
    ),
  ],
  [
    'a default of 2,000 ids under 190 names',
    asking(
      `query ($ids: [Int64!] = [${'1 '.repeat(2_000)}]) { ${many(190, (n) => `p${n}: pets(id: $ids, first: 1) { totalCount }`)} }`,
    ),
  ],
  ['1,000 numbers with zeros before the last digit', given(`{"ids":[${`1.${'0'.repeat(998)}1,`.repeat(1_000)}1]}`)],
  ['100,000 keys', given(`{${keys(100_000)}}`)],
  ['100,000 keys, one value long', given(`{"ids":1234567890123456789,${keys(100_000)}}`)],
  ['80,000 keys in an input', given(`{"pet":{${keys(80_000)}}}`, CREATE)],
  ['a list 500,000 deep', given(`{"ids":${nested(500_000, '[', '1', ']')}}`)],
  ['a list 4,000 deep', given(`{"ids":${nested(4_000, '[', '1', ']')}}`)],
  ['objects 100,000 deep', given(`{"pet":${nested(100_000, '{"name":', '1', '}')}}`, CREATE)],
  ['objects 4,000 deep', given(`{"pet":${nested(4_000, '{"name":', '1', '}')}}`, CREATE)],
  [
    'a text of a megabyte',
    given(`{"name":"${'x'.repeat(MEBIBYTE - 200)}"}`, 'query ($name: String) { pets(name: $name) { totalCount } }'),
  ],
  [
    'a text of a megabyte in an undeclared variable',
    given(`{"name":"${'x'.repeat(MEBIBYTE - 200)}"}`, '{ __typename }'),
  ],
  [
    'an integer of a million digits',
    given(`{"id":${'9'.repeat(1_000_000)}}`, 'query ($id: Int64!) { pet(petId: $id) { id } }'),
  ],
  [
    'a page of a million digits',
    given(`{"n":${'9'.repeat(1_000_000)}}`, 'query ($n: Int) { pets(first: $n) { totalCount } }'),
  ],
  ['1,200 declared and not used', asking(`query (${many(1200, (n) => `$v${n}: Int`)}) { __typename }`)],
  ['one declared 1,200 times', asking(`query (${'$v: Int '.repeat(1200)}) { __typename }`)],
  [
    'one used 1,200 times by 180 operations',
    asking(
      `${many(180, (n) => `query Q${n}($a: Int64) { ...F }`)} fragment F on Query { pets(id: [${'$a '.repeat(1200)}]) { totalCount } }`,
      { operationName: 'Q0' },
    ),
  ],
];

/** The variables are given as JSON, because a JavaScript value can't be nested so deep. */
function given(variables: string, query = BY_IDS): string {
  return `{"query":${JSON.stringify(query)},"variables":${variables}}`;
}
