import { expect, onTestFinished, test, vi } from 'vitest';
import { eventSourcesOf } from '../../../src/engine/application.ts';
import { feedStore } from '../../../src/engine/events/feed.ts';
import { createSequencer } from '../../../src/engine/events/sequencer.ts';
import { petStoreService } from '../../../src/petstore/service.ts';
import { startTestApp } from '../../support/app.ts';
import { publishing } from './publishing.ts';

const { database, query, category, endOfFeed, publish, eventsAfter } = publishing();

test('everything that is committed is published at once, even if a statement extends beyond the end of a batch', async () => {
  // A batch has about 5,000 changes, and each of these statements 2,000 of pets and 2,000 of their stock.
  const categoryId = await category();
  const last = await endOfFeed();
  for (let n = 0; n < 3; n++) {
    await query(
      `with created as (
          insert into pets (name, category_id) select 'Rex', $1 from generate_series(1, 2000) returning id)
        insert into inventory (pet_id, quantity) select id, 5 from created`,
      [categoryId],
    );
  }
  await publish();
  const received = await eventsAfter(last);
  expect(received).toHaveLength(3 * 4000);
  expect(received.map(({ type }) => type)).toEqual(
    [1, 2, 3].flatMap(() => [...Array(2000).fill('inventory.counted'), ...Array(2000).fill('pet.created')]),
  );
});

test('a statement with thousands of rows is published together, each row once, each with its own data', async () => {
  const last = await endOfFeed();
  await query(`insert into categories (name) select 'Fish ' || n from generate_series(1, 3500) as n`);
  await query(`update categories set name = name || '!', version = version + 1 where name like 'Fish %'`);
  await publish();
  const received = await eventsAfter(last);
  const updated = received.slice(3500);
  expect(new Set(received.slice(0, 3500).map(({ type }) => type))).toEqual(new Set(['category.created']));
  expect(new Set(updated.map(({ type }) => type))).toEqual(new Set(['category.updated']));
  expect(new Set(updated.map(({ time }) => time)).size).toBe(1);
  expect(new Set(updated.map(({ subject }) => subject)).size).toBe(3500);
  expect(new Set(updated.map(({ data }) => data.name))).toEqual(
    new Set(Array.from({ length: 3500 }, (_, n) => `Fish ${n + 1}!`)),
  );
  expect(updated.filter(({ subject, data }) => subject !== `categories/${data.id}`)).toEqual([]);
});

// The clock of the embedded database has milliseconds only.
test('what a request changes within a millisecond is published in the order of its changes', async () => {
  const last = await endOfFeed();
  await database().transaction(async (run) => {
    for (let n = 1; n <= 50; n++) {
      await run('savepoint statement', []);
      await run("insert into categories (id, name) values ($1, 'Dogs')", [1_000_000 + n]);
      await run('savepoint statement', []);
      await run("insert into pets (name, category_id) values ('Rex', $1)", [1_000_000 + n]);
    }
  });
  await publish();
  const types = (await eventsAfter(last)).map(({ type }) => type);
  expect(types).toEqual(Array.from({ length: 50 }, () => ['category.created', 'pet.created']).flat());
});

test('of a statement with several rows, only those are published that a client can see as changed', async () => {
  await query("insert into categories (name) select 'Bird ' || n from generate_series(1, 3) as n");
  const last = await endOfFeed();
  await query("update categories set name = name where name like 'Bird %'");
  await publish();
  expect(await eventsAfter(last)).toEqual([]);
  await query("update categories set version = version + (name <> 'Bird 2')::integer where name like 'Bird %'");
  await publish();
  const received = await eventsAfter(last);
  expect(received.map(({ type, data }) => [type, data.name]).sort()).toEqual([
    ['category.updated', 'Bird 1'],
    ['category.updated', 'Bird 3'],
  ]);
});

test('an event is kept for its time, also before and after those of a transaction that takes longer', async () => {
  const last = await endOfFeed();
  await query("update events set time = now() - interval '1 hour'");
  // The clock was ahead for the first.
  for (const minutes of [-60, 50, 1, 40]) await categoryMinutesAgo(minutes);
  await deleteOld(async () => (await deleted()) > Number(last));
  expect(await deleted()).toBe(Number(last) + 2);
  expect(await eventsAfter(`${Number(last) + 2}`)).toHaveLength(2);
});

test('events that were deleted stay so when one before them follows, for which the clock was ahead', async () => {
  const last = Number(await endOfFeed());
  await query('delete from events');
  for (const minutes of [-60, 50]) await categoryMinutesAgo(minutes);
  const kept = () => query('select position::integer from events');
  await deleteOld(async () => (await kept()).length === 1);
  expect([await kept(), await deleted()]).toEqual([[[last + 1]], last + 2]);
  const { page } = feedStore(database(), eventSourcesOf(petStoreService), { name: '/pet-store', isOn: true });
  expect(await page(undefined, {}, 1)).toMatchObject({ events: [], next: { position: last + 2 }, hasMore: false });
  await query("update events set time = now() - interval '1 hour'");
  await deleteOld(async () => (await kept()).length === 0);
  expect(await deleted()).toBe(last + 2);
});

async function categoryMinutesAgo(minutes: number): Promise<void> {
  await category();
  await query(`update outbox set time = now() - interval '${minutes} minutes'`);
  await publish();
}

/** The position of the last event that was deleted. */
async function deleted(): Promise<number> {
  return Number((await query('select deleted from feed'))[0]?.[0]);
}

/** Deletes what is older than half an hour. */
async function deleteOld(isDone: () => Promise<boolean>): Promise<void> {
  vi.useFakeTimers({ toFake: ['setInterval'] });
  const onFailure = (error: unknown) => {
    throw error;
  };
  const sequencer = createSequencer(database(), {
    retention: 30 * 60,
    onPublished: () => {},
    onFailure,
    onDeletionFailure: onFailure,
  });
  sequencer.begin();
  vi.advanceTimersByTime(60_000);
  vi.useRealTimers();
  await expect.poll(isDone, { timeout: 10_000 }).toBe(true);
  await sequencer.end();
}

test('a statement that is too long to be published together is published in parts, and nothing of it is left', async () => {
  const last = await endOfFeed();
  await query(`insert into categories (name) select 'Ant ' || n from generate_series(1, 10500) as n`);
  await publish();
  const received = await eventsAfter(last);
  expect(new Set(received.map(({ data }) => data.name)).size).toBe(10_500);
});

test('while nothing happens, nothing is written', async () => {
  await publish();
  const version = () => query('select xmin::text, ctid::text from feed');
  const before = await version();
  await publish();
  expect(await version()).toEqual(before);
});

test('a process that stops publishes what was committed before', async () => {
  const stopping = await startTestApp();
  onTestFinished(stopping.dispose);
  await stopping.begin();
  const run = (statement: string) => stopping.database.transaction((query) => query(statement, []));
  await run("insert into categories (name) values ('Last')");
  await stopping.flush();
  expect(await run("select type from events where data ->> 'name' = 'Last'")).toEqual([['category.created']]);
});

test('EVENTS_RETENTION is how long a process keeps events', async () => {
  const forgetful = await startTestApp({ EVENTS_RETENTION: 60 });
  onTestFinished(forgetful.dispose);
  const run = (statement: string) => forgetful.database.transaction((query) => query(statement, []));
  const old = "from events where data ->> 'name' = 'Old'";
  await run("insert into categories (name) values ('Old')");
  vi.useFakeTimers({ toFake: ['setInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  await forgetful.begin();
  await expect.poll(() => run(`select type ${old}`)).toHaveLength(1);
  await run(`update events set time = now() - interval '2 minutes'`);
  vi.advanceTimersByTime(60_000);
  await expect.poll(() => run(`select type ${old}`)).toEqual([]);
  await forgetful.flush();
});

test('the lag is the age of the oldest change that is published', async () => {
  await publish();
  await category();
  await query("update outbox set time = now() - interval '10 minutes'");
  await category();
  const lags: number[] = [];
  await createSequencer(database(), {
    retention: 60,
    onPublished: (_, lag) => lags.push(lag),
    onFailure: (error) => expect.fail(String(error)),
    onDeletionFailure: (error) => expect.fail(String(error)),
  }).end();
  expect(lags).toEqual([expect.closeTo(600, -2)]);
});

test('a row that gets another id is published as deleted and created', async () => {
  const id = await category();
  const last = await endOfFeed();
  await query('update categories set id = 1000000 where id = $1', [id]);
  await publish();
  expect((await eventsAfter(last)).sort((a, b) => a.type.localeCompare(b.type))).toMatchObject([
    { type: 'category.created', subject: 'categories/1000000', data: { id: 1000000, name: 'Dogs' } },
    { type: 'category.deleted', subject: `categories/${id}`, data: { id: Number(id), name: 'Dogs' } },
  ]);
});
