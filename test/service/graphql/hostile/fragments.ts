import { asking, chain, deeper, type Hostile, inNodes, many, operations } from './build.ts';

export const fragments: readonly Hostile[] = [
  ['a fragment within itself', asking('{ ...A } fragment A on Query { ...A }')],
  ['a cycle through fields', asking(`${inNodes('...A')} fragment A on Pet { ${deeper('...A')} }`)],
  ['a cycle of 600', asking(`{ ...F0 } ${many(600, (n) => `fragment F${n} on Query { ...F${(n + 1) % 600} }`)}`)],
  [
    '48, each with all of them',
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
    'each with all that follow',
    asking(
      `{ ...F0 } ${many(60, (n) => `fragment F${n} on Query { __typename ${many(60 - n, (m) => `...F${n + m + 1}`)} }`)} fragment F60 on Query { __typename }`,
    ),
  ],
  [
    'that 300 operations share',
    asking(`${operations(300, '...F0')} ${chain(90, 'Query', (next) => next, '__typename')}`, { operationName: 'Q0' }),
  ],
  [
    '40 times 40 times a list of 4,600, of an empty page',
    asking(
      `{ ${'...A '.repeat(40)} } fragment A on Query { ${'...B '.repeat(40)} } fragment B on Query { pets(first: 0, id: [${'1 '.repeat(4600)}]) { totalCount } }`,
    ),
  ],
  ['2,400 unknown ones', asking(`{ ${many(2400, (n) => `...F${n}`)} }`)],
];
