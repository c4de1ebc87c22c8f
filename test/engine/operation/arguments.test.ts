import { assertScalarType, buildSchema, parse } from 'graphql';
import { expect, test } from 'vitest';
import { validator } from '../../../src/engine/operation/prepare.ts';
import { selectionOf } from '../../../src/engine/operation/selection.ts';

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
