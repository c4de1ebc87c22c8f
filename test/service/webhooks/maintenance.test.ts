import { expect, test } from 'vitest';
import type { Query } from '../../../src/engine/db/driver.ts';
import { databaseKind } from '../../support/database.ts';
import { untilOthersWait } from '../../support/locks.ts';
import { now, queued, settled, some } from './queued.ts';

const { database, sql, queueOf, maintenanceOf, pending } = queued();

test('the first delivery of a row becomes due again if a process has left none due', async () => {
  const queue = queueOf('one');
  await queue.acquire(now);
  await queue.addDeliveries([1], [1], now);
  await sql('update deliveries set due_at = null');
  await maintenanceOf('two').repair(now);
  expect(await pending()).toBe('1 2 3 4');
  await sql("update deliveries set due_at = now() + interval '1 hour' where position = 3");
  await maintenanceOf('one').repair(now);
  expect(await pending()).toBe('[1] 2 [3] 4');
  // One that waits for its next attempt still does.
  expect((await queue.readDue(some)).map(({ position }) => position)).toEqual([1]);
  await sql('update deliveries set due_at = null');
  await queue.release([]);
  await maintenanceOf('two').repair(now);
  expect(await pending()).toBe('[1] 2 [3] 4');
});

test('the oldest event that an enabled webhook waits for is one that is kept', async () => {
  await sql('update webhooks set position = 4');
  await sql(
    `insert into webhooks (url, secret, position, created_at, enabled)
      select 'https://shop.example/', 'whsec_', 4, now(), n = 1 from generate_series(1, 2) as n`,
  );
  await sql(
    `insert into deliveries (webhook_id, epoch, position, type, subject, due_at)
      values (3, 1, 1, 'pet.created', 'pets/1', now()), (1, 1, 2, 'pet.created', 'pets/1', now()),
        (2, 1, 3, 'pet.created', 'pets/2', now())`,
  );
  await sql("update events set time = now() - (5 - position) * interval '1 hour'");
  const oldest = async () => Math.max(0, ...(await maintenanceOf('one').backlogs()).map(({ age }) => age ?? 0));
  expect(await oldest()).toBeCloseTo(3 * 3_600, -1);
  await sql('delete from events where position <= 2');
  await sql('update feed set deleted = 2');
  expect(await oldest()).toBeCloseTo(2 * 3_600, -1);
  await sql('update webhooks set enabled = false');
  expect(await oldest()).toBe(0);
});

// The embedded database runs one transaction at a time.
if (databaseKind === 'server') {
  test('a delivery that ends while it is made due again stays as it is', async () => {
    const queue = queueOf('one');
    await queue.acquire(now);
    await queue.addDeliveries([1], [1], now);
    await sql('update deliveries set due_at = null');
    let mending: Promise<unknown> | undefined;
    await database().transaction(async (query: Query) => {
      await query("update deliveries set status = 'delivered' where position = 1", []);
      mending = maintenanceOf('one').repair(now);
      await untilOthersWait(query);
    });
    await mending;
    expect(await sql('select status, due_at from deliveries where position = 1')).toEqual([['delivered', null]]);
  });
}

test('what was delivered is listed for a day, what was given up for 30 days, and what is pending until it ends', async () => {
  await sql(
    `insert into deliveries (webhook_id, epoch, position, type, subject, status, last_attempt_at)
      select 1, 1, 10 * days + n, 'pet.created', 'pets/1', status, now() - make_interval(days => days, hours => -1)
      from unnest(array[1, 2, 30, 31]) as days, unnest(array['pending', 'delivered', 'failed']) with ordinality as _ (status, n)`,
  );
  await maintenanceOf('one').deleteOld(now);
  expect(
    await sql(
      `select status, string_agg(position / 10 || '', ' ' order by position) from deliveries group by status order by status`,
    ),
  ).toEqual([
    ['delivered', '1'],
    ['failed', '1 2 30'],
    ['pending', '1 2 30 31'],
  ]);
});

test('of what has ended, the newest 20,000 of each webhook and status are kept', async () => {
  await sql('insert into webhooks (url, secret, position, created_at) select url, secret, 0, now() from webhooks');
  await sql(
    `insert into deliveries (webhook_id, epoch, position, type, subject, status, last_attempt_at)
      select 1, 1, n, 'pet.created', 'pets/1', case when n % 3 = 0 then 'failed' else 'delivered' end, now()
      from generate_series(1, 39010) as n`,
  );
  await sql(
    `insert into deliveries (webhook_id, epoch, position, type, subject, status, last_attempt_at)
      select 2, 1, n, 'pet.created', 'pets/1', 'delivered', now() from generate_series(1, 10) as n`,
  );
  while (await maintenanceOf('one').deleteMany());
  const kept = `select webhook_id::integer, status, count(*)::integer, min(position)::integer from deliveries
    group by webhook_id, status order by webhook_id, status`;
  expect(await sql(kept)).toEqual([
    [1, 'delivered', 20_000, 9_011],
    [1, 'failed', 13_003, 3],
    [2, 'delivered', 10, 1],
  ]);
});

test('what was given up without an attempt is deleted in its turn, too', async () => {
  const queue = queueOf('one');
  await queue.acquire(now);
  await queue.addDeliveries([1], [1], now);
  const [first] = await queue.readDue(some);
  await queue.storeResults([{ ...settled(first?.id, 'failed'), at: null }], now);
  await maintenanceOf('one').deleteOld(new Date(now.getTime() + 31 * 24 * 3_600_000));
  expect(await sql("select id from deliveries where status = 'failed'")).toEqual([]);
});
