import { pgTable } from 'drizzle-orm/pg-core';
import { assertInputObjectType } from 'graphql';
import { expect, test } from 'vitest';
import { createSchema } from '../../../src/engine/create-schema.ts';
import { idColumn } from '../../../src/engine/db/columns.ts';
import { tableList } from '../../../src/engine/db/table-list.ts';
import { rowEvents } from '../../../src/engine/events/source.ts';
import { annotationsOf } from '../../../src/engine/lifecycle/annotated.ts';
import { beta, deprecated } from '../../../src/engine/lifecycle/annotation.ts';
import { compileRoutes } from '../../../src/engine/rest/compile.ts';
import { route } from '../../../src/engine/rest/route.ts';
import { rowRoutes } from '../../../src/engine/rest/row-routes.ts';
import { integerFrom, text } from '../../../src/engine/schema/bounds.ts';

const entries = pgTable('entries', { id: idColumn() });

const list = tableList(entries, { sorts: { latest: { descending: true } } });

function readEntries(sorts: { latest?: string }) {
  const { builder, readFields } = createSchema();
  const type = builder.objectRef<typeof entries.$inferSelect>('Entry');
  const store = () => {
    throw new Error('No field is resolved.');
  };
  return readFields(type, { one: 'entry', many: 'entries', list, sorts, store });
}

test('the name of a row is in the argument and the description', () => {
  const { byId } = readEntries({ latest: 'Latest first.' });
  expect([Object.keys(byId.args), byId.description]).toEqual([['entryId'], 'Get an entry by its id.']);
});

test('the types of events name the row', () => {
  const type = createSchema().builder.objectRef<object>('Entry');
  expect(rowEvents({ one: 'entry', list, type }).deleted).toEqual({
    name: 'entry.deleted',
    description: 'An entry was deleted.',
  });
});

test('a sort by neither id nor name needs a description', () => {
  expect(() => readEntries({})).toThrow('The sort latest of entries needs a description.');
});

const fail = () => Promise.reject(new Error('No field is resolved.'));
const bounds = integerFrom(1, 9);

test('a field of a new row that the store does not take is an error of the type check', () => {
  const { builder, writeFields } = createSchema();
  const type = builder.objectRef<object>('Entry');
  const create = (_: { readonly place?: unknown }) => fail();
  writeFields(type, {
    one: 'entry',
    scope: 'write',
    store: () => ({ create, replace: fail, update: fail, delete: fail }),
    fields: (t) => ({
      place: t.int({ bounds, description: 'Its place.' }),
      // @ts-expect-error The store would ignore it.
      shelf: t.int({ bounds, description: 'Its shelf.' }),
    }),
  });
});

test('the successor of a deprecated field of a new row is, in the changes, that of the changes if they have it', () => {
  const { builder, buildSchema, writeFields } = createSchema();
  const type = builder.objectRef<object>('Entry').implement({
    description: 'An entry.',
    fields: (t) => ({ place: t.int({ description: 'Its place.', resolve: () => 1 }) }),
  });
  const create = (_: Readonly<Record<string, unknown>>) => fail();
  const year = { since: '2026-01-01', sunset: '2026-12-31', why: 'It was renamed.' };
  const replacedBy = (coordinate: string) => [beta(), deprecated({ ...year, successor: { coordinate } })];
  const { update } = writeFields(type, {
    one: 'entry',
    scope: 'write',
    store: () => ({ create, replace: fail, update: fail, delete: fail }),
    fields: (t) => ({
      place: t.int({ bounds, description: 'Its place.' }),
      number: t.int({ bounds, lifecycle: replacedBy('NewEntry.place'), description: 'Its place.' }),
      shelf: t.int({ bounds, lifecycle: replacedBy('Mutation.updateEntry'), description: 'Its shelf.' }),
    }),
  });
  builder.mutationFields((t) => ({ updateEntry: t.field(update) }));
  const successorsIn = (input: string) => {
    const { number, shelf } = assertInputObjectType(schema.getType(input)).getFields();
    return [number, shelf].map((field) => field && annotationsOf(field)?.deprecation?.successor.coordinate);
  };
  const schema = buildSchema();
  expect(successorsIn('EntryChanges')).toEqual(['EntryChanges.place', 'Mutation.updateEntry']);
  expect(successorsIn('NewEntry')).toEqual(['NewEntry.place', 'Mutation.updateEntry']);
});

test('a field that is optional while it is renamed rejects null in changes, if it says so, as when it was required', () => {
  const { builder, buildSchema, writeFields } = createSchema();
  const type = builder.objectRef<object>('Entry').implement({
    description: 'An entry.',
    fields: (t) => ({ place: t.int({ description: 'Its place.', resolve: () => 1 }) }),
  });
  const create = (_: Readonly<Record<string, unknown>>) => fail();
  const { update } = writeFields(type, {
    one: 'entry',
    scope: 'write',
    store: () => ({ create, replace: fail, update: fail, delete: fail }),
    fields: (t) => ({
      place: t.int({ bounds, nullRemoves: false, description: 'Its place.' }),
      shelf: t.int({ bounds, description: 'Its shelf.' }),
    }),
  });
  builder.mutationFields((t) => ({ updateEntry: t.field(update) }));
  const { place, shelf } = assertInputObjectType(buildSchema().getType('EntryChanges')).getFields();
  expect([place?.extensions.rejectsNull, place?.description]).toEqual([true, 'Its place. Accepts 1 to 9.']);
  expect([shelf?.extensions.rejectsNull, shelf?.description]).toEqual([
    false,
    'Its shelf. Null removes it. Accepts 1 to 9.',
  ]);
});

test('a page of the maximum length fits into a response, or the routes are not compiled: longer texts would break clients', () => {
  const { builder, buildSchema, readFields } = createSchema();
  const type = builder.objectRef<typeof entries.$inferSelect>('Entry').implement({
    description: 'An entry.',
    fields: (t) => ({
      text: t.string({ bounds: text({ min: 0, max: 22_000 }), description: 'Its text.', resolve: () => '' }),
    }),
  });
  const sorts = { latest: 'Latest first.' };
  const { list: ofList } = readFields(type, { one: 'entry', many: 'entries', list, sorts, store: fail as never });
  builder.queryField('entries', (t) => t.field(ofList({})));
  const compile = () =>
    compileRoutes(buildSchema(), [
      route('GET', '/entries', rowRoutes({ tag: 'Entries', type: 'Entry', fields: 'text' }).list('entries')),
    ]);
  expect(compile).toThrow(/^listEntries, with its longest page: The operation asks for up to \d+ bytes/);
});
