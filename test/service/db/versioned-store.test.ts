import { bigint, integer, interval, numeric, pgTable, smallint } from 'drizzle-orm/pg-core';
import { expect, test } from 'vitest';
import { Database } from '../../../src/engine/db/client.ts';
import { versionColumn } from '../../../src/engine/db/columns.ts';
import { namePrefix, nameSorts } from '../../../src/engine/db/name-order.ts';
import { pages } from '../../../src/engine/db/paging.ts';
import { tableList } from '../../../src/engine/db/table-list.ts';
import { tableSizes } from '../../../src/engine/db/table-sizes.ts';
import { versionedStore } from '../../../src/engine/db/versioned-store.ts';
import type { Int64 } from '../../../src/engine/int64.ts';
import {
  type Author,
  authors,
  chapterStore,
  chapters,
  id,
  makeTables,
  novelOptions,
  novels,
  opened,
  placeStore,
  storeOf,
} from './tables.ts';

makeTables();

const DUE = new Date('2026-12-24T08:30:00.000Z');

test('a new row has the given values, and defaults for the others', async () => {
  const store = storeOf();
  const whole = { title: 'Emma', copies: 3, isLent: true, due: DUE, shelfId: 1 };
  expect(await store.create(whole)).toMatchObject({ ...whole, version: 1 });
  expect(await store.create({ title: 'Ulysses' })).toMatchObject({
    copies: 1,
    isLent: false,
    due: null,
    shelfId: null,
  });
});

test('a filter by the beginning of a text can have any name', async () => {
  await storeOf().create({ title: 'Persuasion' });
  const read = pages(opened.database, tableList(novels, { filters: { begins: namePrefix(novels.title, 100) } }));
  const titlesOf = async (begins: string) => (await read({ begins }, 'id', {})).rows.map(({ title }) => title);
  expect(await titlesOf('persua')).toEqual(['Persuasion']);
  expect(await titlesOf('ersua')).toEqual([]);
});

test('a filter by the beginning of another text than the name finds the same rows in the order of names', async () => {
  const list = tableList(authors, {
    filters: { code: namePrefix(authors.code, 10), name: namePrefix(authors.name, 10) },
    sorts: nameSorts(authors.name),
  });
  const store = versionedStore(opened.database, { table: authors, list, one: 'author' });
  await Promise.all(['Xa', 'Yb', 'Xc'].map((name, n) => store.create({ name, code: ['y1', 'x2', 'x3'][n] })));
  for (const sort of ['id', 'name', 'name_desc'] as const) {
    const { rows } = await store.list({ code: 'X' }, sort, {});
    expect(rows.map(({ code }) => code).sort(), sort).toEqual(['x2', 'x3']);
    const both = await store.list({ code: 'X', name: 'x' }, sort, {});
    expect(
      both.rows.map(({ code }) => code),
      sort,
    ).toEqual(['x3']);
  }
});

test('a page after or before a name that does not pass the filter has the names that do', async () => {
  const list = tableList(authors, {
    filters: { name: namePrefix(authors.name, 10) },
    sorts: nameSorts(authors.name),
  });
  const store = versionedStore(opened.database, { table: authors, list, one: 'author' });
  const made = [];
  for (const name of ['Zb', 'Za', 'Zaa', 'Zc']) made.push(await store.create({ name }));
  const [zb, za, zaa, zc] = made as [Author, Author, Author, Author];
  const { cursorOf } = await store.list({}, 'name', {});
  expect((await store.list({ name: 'zb' }, 'name', { after: cursorOf(za) })).rows).toEqual([zb]);
  expect((await store.list({ name: 'za' }, 'name', { before: cursorOf(zc) })).rows).toEqual([za, zaa]);
});

test('rows that are created together are each stored or rejected as if alone, also with no reference or an unknown one', async () => {
  const store = storeOf();
  const [on, off, nowhere, dated] = await Promise.allSettled([
    store.create({ title: 'On a shelf', shelfId: 1 }),
    store.create({ title: 'On none' }),
    store.create({ title: 'Nowhere', shelfId: 9 }),
    store.create({ title: 'Due', due: DUE, isLent: true }),
  ]);
  expect(on).toMatchObject({ value: { title: 'On a shelf', shelfId: 1, copies: 1 } });
  expect(off).toMatchObject({ value: { title: 'On none', shelfId: null } });
  expect(nowhere).toMatchObject({
    reason: { code: 'UNKNOWN_REFERENCE', message: 'shelfId 9 is not the id of a shelf.' },
  });
  expect(dated).toMatchObject({ value: { due: DUE, isLent: true } });
});

test('a change keeps omitted values, and null removes an optional value, or sets it to its default', async () => {
  const store = storeOf();
  const { id } = await store.create({ title: 'Emma', copies: 3, isLent: true, due: DUE, shelfId: 1 });
  expect(await store.update(id, { copies: 4 }, undefined)).toMatchObject({
    title: 'Emma',
    copies: 4,
    due: DUE,
    version: 2,
  });
  expect(await store.update(id, { due: null, title: null, copies: null, isLent: null }, [2])).toMatchObject({
    title: 'Emma',
    copies: 1,
    isLent: false,
    due: null,
    shelfId: 1,
  });
  expect(await store.update(id, {}, undefined)).toMatchObject({ version: 3 });
  expect(await store.replace(id, { title: 'Persuasion' }, undefined)).toMatchObject({
    title: 'Persuasion',
    copies: 1,
    shelfId: null,
    version: 4,
  });
});

test('a write that changes nothing says why', async () => {
  const store = storeOf();
  const { id } = await store.create({ title: 'Emma' });
  await expect(store.update(id, { title: 'Emmy' }, [7])).rejects.toMatchObject({ code: 'PRECONDITION_FAILED' });
  await expect(store.update(999, { title: 'Emmy' }, undefined)).rejects.toMatchObject({
    code: 'NOT_FOUND',
    message: 'No book has the id 999.',
  });
  await opened.database.transaction((query) => query('insert into loans values ($1)', [String(id)]));
  await expect(store.delete(id, undefined)).rejects.toMatchObject({
    code: 'CONFLICT',
    message: `Book ${id} cannot be deleted while it is lent.`,
  });
  const untold = versionedStore(opened.database, { ...novelOptions, keptBy: {} });
  await expect(untold.delete(id, undefined)).rejects.toMatchObject({
    code: 'CONFLICT',
    message: `Book ${id} cannot be deleted while other rows refer to it.`,
  });
  await opened.database.transaction((query) => query('delete from loans', []));
  expect(await store.delete(id, [1])).toMatchObject({ title: 'Emma' });
  expect(await store.byId.load(id)).toBeUndefined();
});

test('a table and an enum with capital letters are written, filtered and measured as others are', async () => {
  const store = chapterStore();
  const parts = [true, false, null] as boolean[];
  const made = await Promise.all(['calm', 'tense'].map((mood) => store.create({ mood: mood as 'calm', parts })));
  expect(made).toMatchObject([
    { mood: 'calm', parts },
    { mood: 'tense', parts },
  ]);
  const [{ id }] = made as [(typeof made)[number]];
  expect(await store.update(id, { mood: 'tense' }, undefined)).toMatchObject({ mood: 'tense', parts, version: 2 });
  expect((await store.list({ mood: ['tense'] }, 'id', {})).rows).toMatchObject([{ parts }, { parts }]);
  const sizes = tableSizes(opened.database, [chapters]);
  await sizes.refresh();
  expect(sizes.pagesOf([chapters])).toEqual([1]);
});

test('a table named place and a column named row are listed as others are', async () => {
  const store = placeStore();
  const made = await Promise.all([7, 8].map((row) => store.create({ row })));
  const { rows, cursorOf } = await store.list({}, 'id', { first: 1 });
  const next = await store.list({}, 'id', { after: cursorOf(rows[0] as (typeof rows)[number]) });
  expect([...rows, ...next.rows]).toEqual(made);
});

test('a change that is too long for its column is rejected as a new row is, and not cut off', async () => {
  const store = placeStore();
  const { id } = await store.create({ code: 'short' });
  await expect(store.create({ code: 'longer' })).rejects.toThrow('too long');
  await expect(store.update(id, { code: 'longer' }, undefined)).rejects.toThrow('too long');
  expect(await store.byId.load(id)).toMatchObject({ code: 'short', version: 1 });
});

test('no row has an id or a value that is out of range for its column', async () => {
  const tickets = pgTable('tickets', {
    id: integer().primaryKey().generatedByDefaultAsIdentity(),
    row: smallint(),
    version: versionColumn(),
  });
  await opened.database.transaction((query) =>
    query(
      `create table tickets (id integer primary key generated by default as identity, "row" smallint,
        version bigint not null default 1)`,
      [],
    ),
  );
  const list = tableList(tickets, { filters: { row: tickets.row } });
  const store = versionedStore(opened.database, { table: tickets, list, one: 'ticket' });
  const ticket = await store.create({ row: 7 });
  const notFound = { code: 'NOT_FOUND', message: 'No ticket has the id 3000000000.' };
  await expect(store.update(3e9, { row: 1 }, undefined)).rejects.toMatchObject(notFound);
  await expect(store.delete(3e9, undefined)).rejects.toMatchObject(notFound);
  for (const sort of ['id', 'id_desc'] as const) {
    expect((await store.list({ row: [7, 70_000] }, sort, {})).rows).toEqual([ticket]);
    expect((await store.list({ row: [7, 70_000], id: [ticket.id, 3e9] }, sort, {})).rows).toEqual([ticket]);
  }
});

test('rows that are created together are one statement, also if the database always assigns their ids', async () => {
  const receipts = pgTable('receipts', {
    id: bigint({ mode: 'bigint' }).$type<Int64>().primaryKey().generatedAlwaysAsIdentity(),
    total: integer(),
    version: versionColumn(),
  });
  await opened.database.transaction((query) =>
    query(
      `create table receipts (id bigint primary key generated always as identity, total integer,
        version bigint not null default 1)`,
      [],
    ),
  );
  const names: string[] = [];
  const database = new Database(opened.database.driver, { statement: (name) => names.push(name), batch() {} });
  const store = versionedStore(database, { table: receipts, list: tableList(receipts), one: 'receipt' });
  const made = await Promise.all([1, 2].map((total) => store.create({ total })));
  expect(made).toMatchObject([
    { id: 1, total: 1 },
    { id: 2, total: 2 },
  ]);
  expect(names).toEqual(['receipts.insertMany']);
});

test('another text of an equal value is a change, but not one that is stored as the same text', async () => {
  const parcels = pgTable('parcels', {
    id: id(),
    weight: numeric(),
    price: numeric({ precision: 8, scale: 2 }),
    travel: interval(),
    version: versionColumn(),
  });
  await opened.database.transaction((query) =>
    query(
      `create table parcels (id bigint primary key generated by default as identity, weight numeric,
        price numeric(8, 2), travel interval, version bigint not null default 1)`,
      [],
    ),
  );
  const store = versionedStore(opened.database, { table: parcels, list: tableList(parcels), one: 'parcel' });
  const { id: parcel } = await store.create({ weight: '1.0', price: '8.50', travel: '1 day' });
  const update = (changes: object) => store.update(parcel, changes, undefined);
  expect(await update({ weight: '1.0', price: '8.5', travel: '1 day' })).toMatchObject({ price: '8.50', version: 1 });
  expect(await update({ weight: '1.00' })).toMatchObject({ weight: '1.00', version: 2 });
  expect(await update({ travel: '24 hours' })).toMatchObject({ travel: '24:00:00', version: 3 });
  expect(await update({ weight: null })).toMatchObject({ weight: null, version: 4 });
});

test('a list keeps the items without a value', async () => {
  const numbers = [1n, 2n ** 60n, null] as bigint[];
  const { id } = await placeStore().create({ numbers });
  expect(await placeStore().byId.load(id)).toMatchObject({ numbers });
});
