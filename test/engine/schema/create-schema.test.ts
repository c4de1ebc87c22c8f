import { pgTable } from 'drizzle-orm/pg-core';
import { validateSchema } from 'graphql';
import { expect, test } from 'vitest';
import { createSchema } from '../../../src/engine/create-schema.ts';
import { idColumn } from '../../../src/engine/db/columns.ts';
import { tableList } from '../../../src/engine/db/table-list.ts';
import { asyncApiDocument } from '../../../src/engine/events/asyncapi.ts';
import { enumNameOf, rowEvents } from '../../../src/engine/events/source.ts';
import { annotatedIn } from '../../../src/engine/lifecycle/annotated.ts';
import { beta, deprecated } from '../../../src/engine/lifecycle/annotation.ts';
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

test('a type of event and a sort can be annotated as every enum value can', () => {
  const { builder, buildSchema, readFields } = createSchema();
  const table = pgTable('entries', { id: idColumn() });
  const list = tableList(table);
  const type = builder.objectRef<typeof table.$inferSelect>('Entry').implement({
    description: 'An entry.',
    fields: (t) => ({ place: t.int({ description: 'Its place.', resolve: () => 1 }) }),
  });
  const until = (coordinate: string) =>
    deprecated({ since: '2026-01-01', sunset: '2026-12-31', successor: { coordinate }, why: 'It was renamed.' });
  const store = () => {
    throw new Error('No field is resolved.');
  };
  const sortLifecycles = { id_desc: until('EntrySort.id') };
  const reads = readFields(type, { one: 'entry', many: 'entries', list, sortLifecycles, store });
  builder.queryField('entries', (t) => t.field(reads.list({})));
  const events = rowEvents({ one: 'entry', list, type });
  const created = { ...events.created, lifecycle: until('EventType.entry_updated') };
  const sources = [{ ...events, created }];
  const schema = buildSchema(sources);
  const annotated = annotatedIn(schema).flatMap(({ coordinate, annotations }) =>
    annotations.deprecation === undefined ? [] : coordinate,
  );
  expect(annotated.sort()).toEqual(['EntrySort.id_desc', 'EventType.entry_created']);
  const { components } = asyncApiDocument(
    sources,
    { components: { schemas: { Event: { properties: {} } }, securitySchemes: {} } },
    { title: '', version: '', basePath: '' },
  ) as { components: { messages: Record<string, { payload: object }> } };
  expect(components.messages['entry.created']?.payload).toMatchObject({
    deprecated: true,
    'x-deprecated-sunset': '2026-12-31',
  });
  expect(components.messages['entry.deleted']?.payload).not.toHaveProperty('deprecated');
});

test('an application that changes nothing has a valid schema', () => {
  const { builder, buildSchema } = createSchema();
  builder.queryField('hello', (t) => t.int({ description: 'A greeting.', resolve: () => 1 }));
  expect(validateSchema(buildSchema())).toEqual([]);
});
