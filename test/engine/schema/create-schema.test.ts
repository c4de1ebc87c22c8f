import { validateSchema } from 'graphql';
import { expect, test } from 'vitest';
import { createSchema } from '../../../src/engine/create-schema.ts';
import { beta } from '../../../src/engine/lifecycle/annotation.ts';
import { text } from '../../../src/engine/schema/bounds.ts';

test('every element is described: the build of a schema fails otherwise, and the error names all that are not', () => {
  const { builder, buildSchema } = createSchema();
  const Genre = builder.enumType('Genre', { description: 'A genre.', values: { NOVEL: {} } });
  const name = text({ min: 1, max: 9 });
  const Part = builder.inputType('Part', { fields: (t) => ({ name: t.string({ bounds: name }) }) });
  builder.queryField('search', (t) =>
    t.int({
      lifecycle: beta(),
      args: { genre: t.arg({ type: Genre }), part: t.arg({ type: Part, description: 'A part.' }) },
      resolve: () => 1,
    }),
  );
  expect(buildSchema).toThrow(
    /^A description is missing: (?=.*\bPart\b)(?=.*\bPart\.name\b)(?=.*\bGenre\.NOVEL\b)(?=.*\bQuery\.search\b)(?=.*\bQuery\.search\(genre:\))((?!part:).)*\.$/,
  );
});

test('an application that changes nothing has a valid schema', () => {
  const { builder, buildSchema } = createSchema();
  builder.queryField('hello', (t) => t.int({ description: 'A greeting.', resolve: () => 1 }));
  expect(validateSchema(buildSchema())).toEqual([]);
});
