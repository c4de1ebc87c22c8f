import { asking, deeper, type Hostile, inNodes, many } from './build.ts';

const pairs = (levels: number): string => (levels === 0 ? 'id' : `${deeper(pairs(levels - 1))} `.repeat(2));

export const overlaps: readonly Hostile[] = [
  ['1,600 fields under one name', asking(inNodes(many(1600, (n) => `x: ${n % 2 === 0 ? 'id' : 'name'}`)))],
  ['a field 400 times with different arguments', asking(`{ ${many(400, (n) => `pets(first: ${n}) { totalCount }`)} }`)],
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
    '150 times a field with conflicting subfields',
    asking(`{ ${many(150, (n) => `pets { nodes { x: ${n % 2 === 0 ? 'id' : 'name'} } }`)} }`),
  ],
];
