import { readdirSync, readFileSync } from 'node:fs';
import { generateDrizzleJson, generateMigration } from 'drizzle-kit/api';
import { getTableColumns, is } from 'drizzle-orm';
import { PgTable } from 'drizzle-orm/pg-core';
import { expect, test } from 'vitest';

const tables = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('/table.ts'));
const files = (folder: string, end: string) =>
  readdirSync(folder)
    .filter((name) => name.endsWith(end))
    .toSorted();

const modules = await Promise.all(tables.map((path) => import(/* @vite-ignore */ `../../src/${path}`)));

test('the migrations make all that the tables declare: values of enums, indexes and constraints, too', async () => {
  const latest = files('drizzle/meta', '_snapshot.json').at(-1);
  const migrated = JSON.parse(readFileSync(`drizzle/meta/${latest}`, 'utf8'));
  const declared = generateDrizzleJson(Object.assign({}, ...modules));
  const missing = await generateMigration(migrated, declared);
  expect(missing, 'Create a migration: npm run db:generate -- --name what-it-is-for').toEqual([]);
});

test('each file of drizzle/ is a migration of the journal, without which it would not be applied', () => {
  const { entries } = JSON.parse(readFileSync('drizzle/meta/_journal.json', 'utf8'));
  expect(files('drizzle', '.sql')).toEqual(entries.map(({ tag }: { readonly tag: string }) => `${tag}.sql`));
});

test('a property has the name of its column: stored events have the names of properties, which no migration renames', () => {
  const columns = modules
    .flatMap((module) => Object.values(module))
    .filter((table) => is(table, PgTable))
    .flatMap((table) =>
      Object.entries(getTableColumns(table)).map(([property, { name }]) => [property, name] as const),
    );
  expect(columns.length).toBeGreaterThan(20);
  const inSql = (property: string) => property.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  expect(columns.filter(([property, name]) => inSql(property) !== name)).toEqual([]);
});
