/** Bodies that are made to keep a GraphQL server busy, each with what it tries. */
export type Hostile = readonly [what: string, body: string];

const MEBIBYTE = 2 ** 20;
const BY_IDS = 'query ($ids: [Int64!]) { pets(id: $ids) { totalCount } }';
const CREATE = 'mutation ($pet: NewPet!) { createPet(pet: $pet) { id } }';

function many(count: number, make: (n: number) => string, separator = ' '): string {
  return Array.from({ length: count }, (_, n) => make(n)).join(separator);
}

function nested(levels: number, open: string, inmost: string, close: string): string {
  return open.repeat(levels) + inmost + close.repeat(levels);
}

function asking(query: string, others: object = {}): string {
  return JSON.stringify({ query, ...others });
}

/** With variables that are JSON already: no value of JavaScript is nested so deep. */
function given(variables: string, query = BY_IDS): string {
  return `{"query":${JSON.stringify(query)},"variables":${variables}}`;
}

/** Fragments F0 to F<count>, each of which is made with the name of the next. */
function chain(count: number, type: string, make: (next: string) => string, last: string): string {
  const links = many(count, (n) => `fragment F${n} on ${type} { ${make(`...F${n + 1}`)} }`);
  return `${links} fragment F${count} on ${type} { ${last} }`;
}

const inNodes = (selection: string) => `{ pets { nodes { ${selection} } } }`;
const deeper = (selection: string) => `category { pets { nodes { ${selection} } } }`;
const pairs = (levels: number): string => (levels === 0 ? 'id' : `${deeper(pairs(levels - 1))} `.repeat(2));
const operations = (count: number, selection: string) => many(count, (n) => `query Q${n} { ${selection} }`);
const keys = (count: number) => many(count, (n) => `"${n.toString(36)}":1`, ',');

const nesting: readonly Hostile[] = [
  ['fields 300 deep', asking(inNodes(nested(100, 'category { pets { nodes { ', 'id', ' } } }')))],
  ['fields 100,000 deep', asking(nested(100_000, '{a', '', '}'))],
  ['inline fragments 1,600 deep', asking(`{ ${nested(1600, '... { ', '__typename', ' }')} }`)],
  ['a list 2,400 deep', asking(`{ pets(id: ${nested(2400, '[', '1', ']')}) { totalCount } }`)],
  ['objects 1,200 deep', asking(`mutation { createPet(pet: ${nested(1200, '{name: ', '1', '}')}) { id } }`)],
  ['a type 2,400 deep', asking(`query ($ids: ${nested(2400, '[', 'Int64', ']')}) { pets(id: $ids) { totalCount } }`)],
];

const repetition: readonly Hostile[] = [
  ['10,000 aliases', asking(`{ ${many(10_000, (n) => `a${n}: __typename`)} }`)],
  ['1,600 aliases', asking(`{ ${many(1600, (n) => `a${n}: __typename`)} }`)],
  ['one field 4,990 times', asking(`{ ${'__typename '.repeat(4990)} }`)],
  ['100,000 directives', asking(`{ __typename ${'@a'.repeat(100_000)} }`)],
  ['2,400 directives on an operation', asking(`query ${'@a'.repeat(2400)} { __typename }`)],
  ['2,400 directives of other names', asking(`{ __typename ${many(2400, (n) => `@a${n}`)} }`)],
  ['600 directives that there are', asking(`{ ${'__typename @skip(if: false) '.repeat(600)} }`)],
  ['4,900 fields that there are not', asking(`{ ${many(4900, (n) => `pet${n}`)} }`)],
  ['1,600 arguments that there are not', asking(`{ pets(${many(1600, (n) => `firs${n}: 1`)}) { totalCount } }`)],
  ['1,200 types that there are not', asking(`query (${many(1200, (n) => `$a${n}: Pett${n}`)}) { __typename }`)],
  [
    '1,600 fields of an input that there are not',
    asking(`mutation { createPet(pet: {${many(1600, (n) => `n${n}: 1`)}}) { id } }`),
  ],
  ['long names nearly like others', asking(`{ ${many(400, (n) => 'categorie'.repeat(25) + n)} }`)],
  ['700 operations, none of them named', asking(operations(700, '__typename'))],
  ['700 operations with a mistake each', asking(operations(700, 'nope'), { operationName: 'Q0' })],
  ['a batch of 1,000', `[${many(1000, () => '{"query":"{ __typename }"}', ',')}]`],
  ['a batch of 100,000 of nothing', `[${many(100_000, () => '{}', ',')}]`],
  ['80,000 parameters', `{"query":"{ __typename }",${keys(80_000)}}`],
];

const fragments: readonly Hostile[] = [
  ['a fragment in itself', asking('{ ...A } fragment A on Query { ...A }')],
  ['a circle through fields', asking(`${inNodes('...A')} fragment A on Pet { ${deeper('...A')} }`)],
  ['a ring of 600', asking(`{ ...F0 } ${many(600, (n) => `fragment F${n} on Query { ...F${(n + 1) % 600} }`)}`)],
  [
    '48, each of which has all',
    asking(`{ ...F0 } ${many(48, (n) => `fragment F${n} on Query { ${many(48, (m) => `...F${m}`)} }`)}`),
  ],
  ['that double 30 times', asking(`{ ...F0 } ${chain(30, 'Query', (next) => `${next} ${next}`, '__typename')}`)],
  [
    'that double 30 times within others',
    asking(`{ ...F0 } ${chain(30, 'Query', (next) => `... { ${next} } ... { ${next} }`, '__typename')}`),
  ],
  [
    'that double 30 times under two names',
    asking(`${inNodes('...F0')} ${chain(30, 'Pet', (next) => `a: ${deeper(next)} b: ${deeper(next)}`, 'id')}`),
  ],
  [
    'that double 30 times under one name',
    asking(`${inNodes('...F0')} ${chain(30, 'Pet', (next) => `${deeper(next)} ${deeper(next)}`, 'id')}`),
  ],
  [
    'of which each has all that follow',
    asking(
      `{ ...F0 } ${many(60, (n) => `fragment F${n} on Query { __typename ${many(60 - n, (m) => `...F${n + m + 1}`)} }`)} fragment F60 on Query { __typename }`,
    ),
  ],
  [
    'that 300 operations share',
    asking(`${operations(300, '...F0')} ${chain(90, 'Query', (next) => next, '__typename')}`, { operationName: 'Q0' }),
  ],
  ['2,400 that there are not', asking(`{ ${many(2400, (n) => `...F${n}`)} }`)],
];

const overlaps: readonly Hostile[] = [
  ['1,600 fields under one name', asking(inNodes(many(1600, (n) => `x: ${n % 2 === 0 ? 'id' : 'name'}`)))],
  ['400 times a field with other arguments', asking(`{ ${many(400, (n) => `pets(first: ${n}) { totalCount }`)} }`)],
  [
    '500 fragments in one place',
    asking(`${inNodes(many(500, (n) => `...F${n}`))} ${many(500, (n) => `fragment F${n} on Pet { id }`)}`),
  ],
  [
    '200 fragments with fields in fields',
    asking(`${inNodes(many(200, (n) => `...F${n}`))} ${many(200, (n) => `fragment F${n} on Pet { ${deeper('id')} }`)}`),
  ],
  ['fields in pairs, 8 deep', asking(inNodes(pairs(8)))],
  [
    '150 times fields that clash within',
    asking(`{ ${many(150, (n) => `pets { nodes { x: ${n % 2 === 0 ? 'id' : 'name'} } }`)} }`),
  ],
];

const size: readonly Hostile[] = [
  ['a list of 200,000', asking(`{ pets(id: [${'1 '.repeat(200_000)}]) { totalCount } }`)],
  ['a list of 4,900 wrong items', asking(`{ pets(id: [${many(4900, (n) => `"${n}"`)}]) { totalCount } }`)],
  ['a text of a megabyte', asking(`{ pets(name: "${'x'.repeat(MEBIBYTE - 200)}") { totalCount } }`)],
  ['a text of 300,000 lines', asking(`{ pets(name: """${'\n '.repeat(300_000)}""") { totalCount } }`)],
  ['a comment of 300,000 lines', asking(`${'#\n'.repeat(300_000)}{ nope }`)],
  ['an integer of a million digits', asking(`{ pet(petId: ${'9'.repeat(1_000_000)}) { id } }`)],
  ['an integer of 90,000 digits', asking(`{ pet(petId: ${'9'.repeat(90_000)}) { id } }`)],
  ['a page of 90,000 digits', asking(`{ pets(first: ${'9'.repeat(90_000)}) { totalCount } }`)],
  ['a name of a megabyte', asking(`{ ${'x'.repeat(MEBIBYTE - 200)} }`)],
  [
    'a name of 90,000 letters in 200 faults',
    asking(`query ${'x'.repeat(90_000)} (${many(200, (n) => `$v${n}: Int`)}) { __typename }`),
  ],
  [
    'the name of an operation of a megabyte',
    asking('query A { __typename }', { operationName: 'x'.repeat(1_000_000) }),
  ],
];

const variables: readonly Hostile[] = [
  ['500,000 ids', given(`{"ids":[${'1,'.repeat(500_000)}1]}`)],
  ['500,000 ids, one of them long', given(`{"ids":[1234567890123456789,${'1,'.repeat(500_000)}1]}`)],
  ['260,000 wrong ids', given(`{"ids":[${'"x",'.repeat(250_000)}1]}`)],
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
  ['a text of a megabyte that nothing takes', given(`{"name":"${'x'.repeat(MEBIBYTE - 200)}"}`, '{ __typename }')],
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

const introspection: readonly Hostile[] = [
  [
    'the fields of the types of fields',
    asking(`{ __schema { types ${nested(8, '{ fields { type ', '{ name }', ' } }')} } }`),
  ],
  [
    '1,000 types of types',
    asking(`{ __schema { types { fields { type ${nested(1000, '{ ofType ', '{ name }', ' }')} } } } }`),
  ],
  [
    'fragments that double 25 times',
    asking(
      `{ __schema { types { ...F0 } } } ${chain(25, '__Type', (next) => `a: ofType { ${next} } b: ofType { ${next} }`, 'name')}`,
    ),
  ],
  [
    'the schema 150 times',
    asking(
      `{ ${many(150, (n) => `a${n}: __schema { types { name fields { name description args { name description } } } }`)} }`,
    ),
  ],
];

export const hostileRequests: Readonly<Record<string, readonly Hostile[]>> = {
  nesting,
  repetition,
  fragments,
  overlaps,
  size,
  variables,
  introspection,
};
