import { assertScalarType, buildSchema, parse, validate } from 'graphql';
import { expect, test } from 'vitest';
import { selectionOf } from '../../../src/engine/operation/selection.ts';
import { neverNull, validator } from '../../../src/engine/operation/validation.ts';

const schema = buildSchema('type Query { paint(with: Paint): Int }  input Paint { shade: Shade }  scalar Shade');
const shade = assertScalarType(schema.getType('Shade'));
shade.parseValue = (value) => {
  if (typeof value === 'string') return { red: value };
  throw new Error('It is no shade.');
};
shade.parseLiteral = (node) => shade.parseValue('value' in node ? node.value : undefined);

test.each([
  ['a literal', '{ paint(with: { shade: "ff" }) }', {}],
  ['a variable', 'query ($shade: Shade) { paint(with: { shade: $shade }) }', { shade: 'ff' }],
  ['a default', 'query ($with: Paint = { shade: "ff" }) { paint(with: $with) }', {}],
])('a scalar in an input may be parsed to what it does not accept itself: %s', (_, query, variables) => {
  expect(validator('shown')(selectionOf(schema, parse(query), undefined))(variables)).toEqual([]);
});

const moves = buildSchema(`
  type Query { count: Int }
  input Move { by: Int! = 1, to: Int }
  type Mutation { step(by: Int!): Int, leap(by: Int! = 1): Int, move(move: Move!): Int, rest(for: Int): Int }
`);

test.each<[where: string, query: string, expected: string[]]>([
  ['a required argument, with a default', 'mutation ($n: Int = 1) { step(by: $n) }', ['n']],
  ['an argument that has a default', 'mutation ($n: Int) { leap(by: $n) }', ['n']],
  ['an input field that has a default', 'mutation ($n: Int) { move(move: { by: $n }) }', ['n']],
  ['such an argument in a fragment', 'mutation ($n: Int) { ...L } fragment L on Mutation { leap(by: $n) }', ['n']],
  ['a directive, with a default', 'mutation ($n: Boolean = true) { leap @include(if: $n) }', ['n']],
  ['places that accept null', 'mutation ($n: Int = 1, $m: Int) { rest(for: $n) move(move: { to: $m }) }', []],
  ['places that a required variable is for', 'mutation ($n: Int!) { step(by: $n) }', []],
])('the variables that must not be null: %s', (_, query, expected) => {
  const document = parse(query);
  expect(validate(moves, document)).toEqual([]);
  expect([...neverNull(selectionOf(moves, document, undefined))]).toEqual(expected);
});
