import { pgTable } from 'drizzle-orm/pg-core';
import { expect, test } from 'vitest';
import { createSchema } from '../../../src/engine/create-schema.ts';
import { idColumn } from '../../../src/engine/db/columns.ts';
import { tableList } from '../../../src/engine/db/table-list.ts';
import { rowEvents } from '../../../src/engine/events/source.ts';

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
