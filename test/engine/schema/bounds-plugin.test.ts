import SchemaBuilder from '@pothos/core';
import { pgTable, text as textColumn } from 'drizzle-orm/pg-core';
import { GraphQLEnumType } from 'graphql';
import { describe, expect, test } from 'vitest';
import { createSchema } from '../../../src/engine/create-schema.ts';
import { idColumn } from '../../../src/engine/db/columns.ts';
import { tableList } from '../../../src/engine/db/table-list.ts';
import { text } from '../../../src/engine/schema/bounds.ts';
import { inputValidators, nameOrValue } from '../../../src/engine/schema/input.ts';
import '../../../src/engine/schema/plugin.ts';

const rows = pgTable('rows', { id: idColumn(), name: textColumn().notNull(), note: textColumn().notNull() });
const bounds = text({ min: 1, max: 200 });

function builderOf() {
  const builder = new SchemaBuilder<object>({ plugins: ['engine'] });
  builder.queryType({ fields: (t) => ({ read: t.int({ resolve: () => 1 }) }) });
  return builder;
}

describe('the build of a schema fails', () => {
  test('for text input without bounds, and the error names all such places', () => {
    const builder = builderOf();
    const Part = builder.inputType('Part', {
      fields: (t) => ({ note: t.string({}), title: t.string({ bounds }), keys: t.idList({}), size: t.int({}) }),
    });
    builder.queryField('search', (t) =>
      t.int({
        args: { country: t.arg.stringList({}), name: t.arg.string({ bounds }), part: t.arg({ type: Part }) },
        resolve: () => 1,
      }),
    );
    expect(() => builder.toSchema()).toThrow(
      'Text needs bounds, such as text({ min: 1, max: 200 }): Part.note, Part.keys, Query.search(country:).',
    );
  });

  test('for text without bounds in the rows of a list', () => {
    const { builder, buildSchema, connectionTo } = createSchema();
    const row = builder.objectRef<typeof rows.$inferSelect>('Row').implement({
      fields: (t) => ({
        name: t.exposeString('name', { bounds }),
        note: t.exposeString('note', { extensions: { longest: 200 } }),
      }),
    });
    connectionTo(row, 'rows', tableList(rows));
    expect(buildSchema).toThrow('Text needs bounds, such as text({ min: 1, max: 200 }): Row.note.');
  });
});

test('the bounds of a list apply to each of its items', () => {
  const builder = builderOf();
  builder.queryField('search', (t) => t.int({ args: { country: t.arg.stringList({ bounds }) }, resolve: () => 1 }));
  expect(builder.toSchema().getQueryType()?.getFields().search?.args[0]?.extensions.bounds).toBe(bounds);
});

test('the bounds of an enum apply, so that one release can return a value before the next accepts it', () => {
  const accepted = {
    accepts: undefined,
    jsonSchema: {},
    check: (name: unknown) => (name === 'lost' ? 'must not be lost' : undefined),
  };
  const type = new GraphQLEnumType({ name: 'Status', values: { sold: { value: 1 }, lost: { value: 2 } } });
  const validate = inputValidators(
    'shown',
    nameOrValue,
  )({ type, defaultValue: undefined, extensions: { bounds: accepted } });
  expect(['sold', 'lost', 1, 2, 3].map((value) => validate(value, ['status']).map(({ message }) => message))).toEqual([
    [],
    ['must not be lost'],
    [],
    ['must not be lost'],
    ['must be one of sold, lost, not 3'],
  ]);
});
