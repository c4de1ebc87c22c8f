import { assertInputObjectType, buildSchema } from 'graphql';
import { expect, test } from 'vitest';
import { Components } from '../../../src/engine/openapi/components.ts';
import { typeSchema } from '../../../src/engine/openapi/schemas.ts';
import { inputValidators } from '../../../src/engine/schema/input.ts';

const schema = buildSchema('type Query { any(pick: Pick): Int }  input Pick @oneOf { id: ID  name: String }');
const pick = assertInputObjectType(schema.getType('Pick'));

test.each([[{ id: '1', name: 'Emma' }], [{}]])(
  'a @oneOf input with none or several fields is a validation error',
  (given) => {
    const validate = inputValidators()({ type: pick, defaultValue: undefined, extensions: {} });
    expect(validate(given, ['pick'])).toEqual([
      { path: ['pick'], message: 'must have exactly one field of Pick, which accepts id, name' },
    ]);
    expect(validate({ name: 'Emma' }, ['pick'])).toEqual([]);
  },
);

test('an unknown field beside one of a @oneOf input is the only error', () => {
  const validate = inputValidators()({ type: pick, defaultValue: undefined, extensions: {} });
  expect(validate({ id: '1', nam: 'Emma' }, ['pick'])).toEqual([
    { path: ['pick', 'nam'], message: 'is not a field of Pick, which accepts id, name' },
  ]);
});

test('OpenAPI says that a @oneOf input has exactly one field', () => {
  const components = new Components({ examples: {}, optional: {} });
  typeSchema(pick, components);
  expect(components.schemas.get('Pick')).toMatchObject({ minProperties: 1, maxProperties: 1 });
});
