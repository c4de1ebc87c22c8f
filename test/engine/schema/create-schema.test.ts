import { pgTable } from 'drizzle-orm/pg-core';
import { validateSchema } from 'graphql';
import { expect, test } from 'vitest';
import { createSchema } from '../../../src/engine/create-schema.ts';
import { idColumn } from '../../../src/engine/db/columns.ts';
import { tableList } from '../../../src/engine/db/table-list.ts';
import { enumNameOf, rowEvents } from '../../../src/engine/events/source.ts';
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

test.each([
  ['the type entry_created', 'entry', 'drafts'],
  ['the table entries', 'draft', 'entries'],
])('events that have %s twice make the build of a schema fail', (twice, one, name) => {
  const { builder, buildSchema } = createSchema();
  const type = builder.objectRef<object>('Entry');
  const list = (name: string) => tableList(pgTable(name, { id: idColumn() }));
  const events = [rowEvents({ one: 'entry', list: list('entries'), type }), rowEvents({ one, list: list(name), type })];
  expect(() => buildSchema(events)).toThrow(`The events have ${twice} twice.`);
});

test('a type of event may have several dots', () => {
  expect(enumNameOf({ name: 'shop.book.created' })).toBe('shop_book_created');
});

test('an application that changes nothing has a valid schema', () => {
  const { builder, buildSchema } = createSchema();
  builder.queryField('hello', (t) => t.int({ description: 'A greeting.', resolve: () => 1 }));
  expect(validateSchema(buildSchema())).toEqual([]);
});
