import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { eventSourcesOf } from '../../src/engine/application.ts';
import { installEvents } from '../../src/engine/events/install.ts';
import { petStoreService } from '../../src/petstore/service.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { openTestDatabase } from '../support/database.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.dispose());

async function newPets(names: readonly string[]): Promise<number[]> {
  const { body: category } = await app.rest('POST', '/categories', { body: { name: 'Any' } });
  const ids: number[] = [];
  for (const name of names) {
    ids.push((await app.rest('POST', '/pets', { body: { name, categoryId: category.id } })).body.id);
  }
  return ids;
}

describe('reads by key', () => {
  test('that arrive together are one statement, and each gets its own row', async () => {
    const ids = await newPets(['Rex', 'Max', 'Leo']);
    app.statements.length = 0;
    const answers = await Promise.all([...ids, 999_999_999].map((id) => app.rest('GET', `/pets/${id}`)));
    expect(answers.map(({ status, body }) => [status, body.name])).toEqual([
      [200, 'Rex'],
      [200, 'Max'],
      [200, 'Leo'],
      [404, undefined],
    ]);
    expect(app.statements).toEqual(['pets.byKeys']);
  });

  test('see everything that was written before they started', async () => {
    const [id] = await newPets(['Rex']);
    await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const other = app.rest('GET', `/pets/${id}`);
        const { body: made } = await app.rest('POST', '/categories', { body: { name: `Category ${index}` } });
        expect((await app.rest('GET', `/categories/${made.id}`)).body.name).toBe(`Category ${index}`);
        await other;
      }),
    );
  });
});

test('EVENTS=off drops the triggers of events, and none of another application', async () => {
  const { database, dispose } = await openTestDatabase();
  onTestFinished(dispose);
  const triggers = () =>
    database.transaction((query) =>
      query("select tgname::text from pg_trigger where tgname like '%\\_events\\_%' order by 1", []),
    );
  await database.transaction(async (query) => {
    await query('create table customers ()', []);
    await query("create function greet() returns trigger language plpgsql as 'begin return null; end'", []);
    for (const event of ['delete', 'insert', 'update'])
      await query(`create trigger customers_events_${event} after ${event} on customers execute function greet()`, []);
  });
  expect(await triggers()).toContainEqual(['pets_events_insert']);
  await installEvents(database, eventSourcesOf(petStoreService), 'off');
  expect(await triggers()).toEqual([
    ['customers_events_delete'],
    ['customers_events_insert'],
    ['customers_events_update'],
  ]);
});

test('what is logged of a failure of the database has no values of its statement', async () => {
  const failing = app.database.transaction(async (query) => {
    const body = "begin raise exception 'No space left on device' using errcode = '53100'; end";
    await query(`create function pg_temp.fail(text) returns text language plpgsql as $$ ${body} $$`, []);
    return query('select pg_temp.fail($1)', ['whsec_secret']);
  });
  const error = await failing.catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'UNAVAILABLE', cause: { code: '53100' } });
  const logged = JSON.stringify(pino.stdSerializers.err((error as { cause: Error }).cause));
  expect(logged).toContain('No space left');
  expect(logged).not.toContain('whsec_secret');
});
