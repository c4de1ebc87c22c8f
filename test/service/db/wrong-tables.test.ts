import { jsonb, pgTable, serial, text } from 'drizzle-orm/pg-core';
import { expect, test } from 'vitest';
import { versionColumn } from '../../../src/engine/db/columns.ts';
import { pages } from '../../../src/engine/db/paging.ts';
import { tableList } from '../../../src/engine/db/table-list.ts';
import { versionedStore } from '../../../src/engine/db/versioned-store.ts';
import { chapters, id, makeTables, novelList, novels, opened, shelves } from './tables.ts';

makeTables();

test('a table with another kind of id is rejected at the start', () => {
  const countries = pgTable('countries', { id: text().primaryKey(), version: versionColumn() });
  const open = () => versionedStore(opened.database, { table: countries, list: tableList(countries), one: 'country' });
  expect(open).toThrow('The id of countries must be idColumn()');
});

test('a list of rows with another kind of id is rejected at the start', () => {
  const words = pgTable('words', { id: text().primaryKey() });
  const message = 'The id of the list words must be an integer, because its cursors have it.';
  expect(() => pages(opened.database, tableList(words))).toThrow(message);
});

test.each([
  ['a number that the database counts', serial()],
  ['a value that code makes', text().$defaultFn(() => 'any')],
  ['a value that the database computes', text().generatedAlwaysAs('any')],
])('a column with %s stops the start', (_, place) => {
  const table = pgTable('places', { id: id(), place, version: versionColumn() });
  const open = () => versionedStore(opened.database, { table, list: tableList(table), one: 'place' });
  expect(open).toThrow('place must have a constant for its default, or none; write a store for other columns.');
});

test('a table without a column that a client can set stops the start', () => {
  const open = () => versionedStore(opened.database, { table: shelves, list: tableList(shelves), one: 'shelf' });
  expect(open).toThrow('shelves needs a column beside id and version, which a client can set.');
});

test('a filter that is a column with lists stops the start', () => {
  const open = () => tableList(chapters, { filters: { part: chapters.parts } });
  expect(open).toThrow('The filter part needs a condition, because parts is a list.');
});

test('a column of JSON stops the start', () => {
  const table = pgTable('notes', { id: id(), note: jsonb(), version: versionColumn() });
  const open = () => versionedStore(opened.database, { table, list: tableList(table), one: 'note' });
  expect(open).toThrow('note must not be JSON; write a store for such columns.');
});

test.each([
  ['requestId', 'request_id'],
  ['index', 'index'],
])('a column with the name of what the store itself is given stops the start: %s', (key, name) => {
  const table = pgTable('visits', { id: id(), [key]: text(name), version: versionColumn() });
  const open = () => versionedStore(opened.database, { table, list: tableList(table), one: 'visit' });
  expect(open).toThrow(`${name} needs another property than ${key}, which the store has itself.`);
});

test.each(['limit', 'positions', 'sort', 'first', 'before'])(
  'a filter with the name of what a page itself is given stops the start: %s',
  (name) => {
    const list = tableList(novels, { filters: { [name]: novels.copies } });
    expect(() => pages(opened.database, list)).toThrow(
      `The filter ${name} of novels needs another name: a page has one with that name itself.`,
    );
  },
);

test('a foreign key without a name for its target stops the start', () => {
  const store = () => versionedStore(opened.database, { table: novels, list: novelList, one: 'book' });
  expect(store).toThrow('The store of novels needs a name for what shelfId refers to.');
});
