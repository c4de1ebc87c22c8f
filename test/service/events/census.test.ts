import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventSourcesOf } from '../../../src/engine/application.ts';
import { petStoreService } from '../../../src/petstore/service.ts';
import { openTestDatabase, type TestDatabase } from '../../support/database.ts';

let opened: TestDatabase;

beforeAll(async () => {
  opened = await openTestDatabase();
});
afterAll(() => opened.dispose());

test('the changes of every table with a version are events: service.ts lists it', async () => {
  const rows = await opened.database.transaction((query) =>
    query(
      `select relname::text,
          (select count(*) from pg_trigger where tgrelid = pg_class.oid and tgname like relname || '\\_events\\_%')::integer
        from pg_class join pg_attribute on attrelid = pg_class.oid
        where relkind = 'r' and relnamespace = 'public'::regnamespace and attname = 'version' order by 1`,
      [],
    ),
  );
  expect(rows.length).toBeGreaterThanOrEqual(4);
  // A webhook is how a client reads events: no row of the application.
  expect(rows.filter(([, triggers]) => triggers !== 3)).toEqual([['webhooks', 0]]);
});

test('each type of event is named by its row, and comes from one table', () => {
  const names = eventSourcesOf(petStoreService).flatMap(({ created, updated, deleted }) =>
    [created, ...updated, deleted].map(({ name }) => name),
  );
  expect(names.filter((name) => !/^[a-z]+\.[a-z]+$/.test(name))).toEqual([]);
  expect(new Set(names).size).toBe(names.length);
});
