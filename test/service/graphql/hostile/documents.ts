import { asking, chain, type Hostile, inNodes, keys, many, nested, operations } from './build.ts';

export const nesting: readonly Hostile[] = [
  ['fields 300 deep', asking(inNodes(nested(100, 'category { pets { nodes { ', 'id', ' } } }')))],
  ['fields 100,000 deep', asking(nested(100_000, '{a', '', '}'))],
  ['inline fragments 1,600 deep', asking(`{ ${nested(1600, '... { ', '__typename', ' }')} }`)],
  ['a list 2,400 deep', asking(`{ pets(id: ${nested(2400, '[', '1', ']')}) { totalCount } }`)],
  ['objects 1,200 deep', asking(`mutation { createPet(pet: ${nested(1200, '{name: ', '1', '}')}) { id } }`)],
  ['a type 2,400 deep', asking(`query ($ids: ${nested(2400, '[', 'Int64', ']')}) { pets(id: $ids) { totalCount } }`)],
];

export const repetition: readonly Hostile[] = [
  ['10,000 aliases', asking(`{ ${many(10_000, (n) => `a${n}: __typename`)} }`)],
  ['1,600 aliases', asking(`{ ${many(1600, (n) => `a${n}: __typename`)} }`)],
  ['one field 4,990 times', asking(`{ ${'__typename '.repeat(4990)} }`)],
  ['100,000 directives', asking(`{ __typename ${'@a'.repeat(100_000)} }`)],
  ['2,400 directives on an operation', asking(`query ${'@a'.repeat(2400)} { __typename }`)],
  ['2,400 different directives', asking(`{ __typename ${many(2400, (n) => `@a${n}`)} }`)],
  ['600 known directives', asking(`{ ${'__typename @skip(if: false) '.repeat(600)} }`)],
  ['4,900 unknown fields', asking(`{ ${many(4900, (n) => `pet${n}`)} }`)],
  ['1,600 unknown arguments', asking(`{ pets(${many(1600, (n) => `firs${n}: 1`)}) { totalCount } }`)],
  ['1,200 unknown types', asking(`query (${many(1200, (n) => `$a${n}: Pett${n}`)}) { __typename }`)],
  [
    '1,600 unknown fields of an input',
    asking(`mutation { createPet(pet: {${many(1600, (n) => `n${n}: 1`)}}) { id } }`),
  ],
  ['long names similar to known ones', asking(`{ ${many(400, (n) => 'categorie'.repeat(25) + n)} }`)],
  ['700 operations without operationName', asking(operations(700, '__typename'))],
  ['700 operations with a mistake each', asking(operations(700, 'nope'), { operationName: 'Q0' })],
  ['a batch of 1,000', `[${many(1000, () => '{"query":"{ __typename }"}', ',')}]`],
  ['a batch of 100,000 empty objects', `[${many(100_000, () => '{}', ',')}]`],
  ['80,000 parameters', `{"query":"{ __typename }",${keys(80_000)}}`],
];

export const introspection: readonly Hostile[] = [
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
