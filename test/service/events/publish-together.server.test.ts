import { sql } from 'drizzle-orm';
import { expect, test, vi } from 'vitest';
import type { Query } from '../../../src/engine/db/driver.ts';
import { RAISE_EPOCH } from '../../../src/engine/events/install.ts';
import { createSequencer } from '../../../src/engine/events/sequencer.ts';
import { publishing } from './publishing.ts';

const { database, query, category, endOfFeed, publish, eventsAfter } = publishing();

test('while a backup runs, the outbox is not read from its beginning, where rows cannot be vacuumed', async () => {
  const numberOf = async (what: string, run: Query = query) => Number((await run(`select ${what}`, []))[0]?.[0]);
  const READ = "pg_stat_get_xact_tuples_returned('outbox_pkey'::regclass)";
  await database().transaction(async (backup) => {
    await backup('set transaction isolation level repeatable read', []);
    await backup('select 1', []);
    const first = await numberOf('last_value + 1 from outbox_seq_seq');
    // Other transactions on the server can keep changes from being finished for a while, also those of earlier tests.
    let [last, finished] = [first, await numberOf('finished from feed')];
    while (last < first + 200 || finished < first + 150) {
      for (let more = 0; more < 10; more++) await category();
      last = await numberOf('last_value from outbox_seq_seq');
      const read = await database().transaction(async (run) => {
        const before = await numberOf(READ, run);
        await run('select publish_changes(1000)', []);
        return (await numberOf(READ, run)) - before;
      });
      expect(read).toBeLessThan(12 * (last - finished + 1));
      finished = await numberOf('finished from feed');
    }
  });
});

test('a change that is committed late is published, however often others have been published meanwhile', async () => {
  const last = await endOfFeed();
  await database().transaction(async (late) => {
    await late("insert into categories (name) values ('Late')", []);
    for (let n = 0; n < 6; n++) {
      await category();
      await publish();
    }
  });
  await publish();
  expect((await eventsAfter(last)).map(({ data }) => data.name)).toEqual([...Array(6).fill('Dogs'), 'Late']);
});

test('what is published waits for no total that is counted', async () => {
  const last = await endOfFeed();
  const count = database().statement('any.count', 'count', sql`select pg_sleep(2)`, {});
  const counted = vi.fn();
  const counts = [1, 2].map(() => count().then(counted));
  await category();
  await publish();
  expect(await eventsAfter(last)).toHaveLength(1);
  expect(counted).not.toHaveBeenCalled();
  await Promise.all(counts);
});

test('while another process publishes, none is counted here', async () => {
  await category();
  const counts: unknown[] = [];
  const onPublished = (count: number) => counts.push(count);
  const onFailure = (error: unknown) => counts.push(error);
  const sequencer = createSequencer(database(), {
    retention: 60,
    onPublished,
    onFailure,
    onDeletionFailure: onFailure,
  });
  await database().transaction(async (run) => {
    await run('select last from feed for update', []);
    await sequencer.end();
  });
  expect(counts).toEqual([0]);
});

test('a transaction that keeps the feed locked is reported, and the lag grows until it ends', async () => {
  const last = await endOfFeed();
  const lags: number[] = [];
  const failures: unknown[] = [];
  const sequencer = createSequencer(database(), {
    retention: 60,
    onPublished: (_, lag) => lags.push(lag),
    onFailure: (error) => failures.push(error),
    onDeletionFailure: (error) => failures.push(error),
  });
  await database().transaction(async (run) => {
    await run('select last from feed for update', []);
    await category();
    sequencer.begin();
    await expect.poll(() => lags.filter((lag) => lag > 5).length, { timeout: 15_000 }).toBe(2);
  });
  expect(lags.at(-1)).toBeGreaterThan(lags.at(-2) as number);
  expect(String(failures)).toMatch(/^(Error: Another transaction has locked the row of the table feed\.,?){2}$/);
  await expect.poll(() => eventsAfter(last)).toHaveLength(1);
  await sequencer.end();
  expect(lags.at(-1)).toBe(0);
});

test('what another process may not have seen is published soon after it', async () => {
  const last = await endOfFeed();
  const onFailure = (error: unknown) => {
    throw error;
  };
  const sequencer = createSequencer(database(), {
    retention: 60,
    onPublished: () => {},
    onFailure,
    onDeletionFailure: onFailure,
  });
  await database().transaction(async (run) => {
    await run('select last from feed for update', []);
    await category();
    sequencer.begin();
    await new Promise((resolve) => setTimeout(resolve, 150));
  });
  // Each second, it would be in any case.
  await new Promise((resolve) => setTimeout(resolve, 400));
  expect(await eventsAfter(last)).toHaveLength(1);
  await sequencer.end();
});

test('in a copy whose sequences begin anew, changes are published once the epoch is raised', async () => {
  const last = await endOfFeed();
  await query('update feed set finished = 1000000000, ending = 1000000000, ended_at = 1');
  await query(RAISE_EPOCH);
  await category();
  await publish();
  expect(await eventsAfter(last)).toHaveLength(1);
});
