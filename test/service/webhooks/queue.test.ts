import { describe, expect, test } from 'vitest';
import type { Query } from '../../../src/engine/db/driver.ts';
import type { deliveryQueue } from '../../../src/engine/webhooks/queue.ts';
import { webhookStore } from '../../../src/engine/webhooks/store.ts';
import { databaseKind } from '../../support/database.ts';
import { untilOthersWait } from '../../support/locks.ts';
import { inAnHour, now, queued, settled, some } from './queued.ts';

const { database, sql, queueOf, pending } = queued();

describe('of the deliveries of a row', () => {
  test('only the first is due, and the next one when that has ended', async () => {
    const queue = queueOf('one');
    expect(await queue.acquire(now)).toHaveLength(1);
    await queue.addDeliveries([1], [1], now);
    expect(await pending()).toBe('[1] 2 [3] 4');
    const due = await queue.readDue(some);
    expect(due.map(({ position }) => position)).toEqual([1, 3]);
    await queue.storeResults([settled(due[0]?.id, 'delivered'), settled(due[1]?.id, 'pending')], now);
    expect(await pending()).toBe('[2] [3] 4');
  });

  test('the first is due, and then the next one, whatever is pending for another webhook', async () => {
    const queue = queueOf('one');
    await sql('insert into webhooks (url, secret, position, created_at) select url, secret, 0, now() from webhooks');
    await queue.acquire(now);
    for (const id of [1, 2]) await queue.addDeliveries([id], [1], now);
    expect(await pending()).toBe('[1] 2 [3] 4 [1] 2 [3] 4');
    const [first] = await queue.readDue({ ...some, ids: [2] });
    await queue.storeResults([settled(first?.id, 'delivered')], now);
    expect(await pending()).toBe('[1] 2 [3] 4 [2] [3] 4');
  });

  test('none is found while another is in progress', async () => {
    const queue = queueOf('one');
    await queue.acquire(now);
    await queue.addDeliveries([1], [1], now);
    const due = await queue.readDue({ ...some, running: ['1 pets/1'] });
    expect(due.map(({ position }) => position)).toEqual([3]);
  });

  test('one of a type that no process knows holds up the others until its event is deleted, and is then given up', async () => {
    const queue = queueOf('one');
    await sql("update events set type = 'pet.removed' where position = 1");
    await queue.acquire(now);
    await queue.addDeliveries([1], [1], now);
    expect((await queue.readDue(some)).map(({ position }) => position)).toEqual([3]);
    await sql('with old as (delete from events where position = 1) update feed set deleted = 1');
    const due = await queue.readDue(some);
    expect(due.map(({ position, time }) => [position, time === null])).toEqual([
      [1, true],
      [3, false],
    ]);
  });

  test('the first becomes due again if a process has left them without', async () => {
    const queue = queueOf('one');
    await queue.acquire(now);
    await queue.addDeliveries([1], [1], now);
    await sql('update deliveries set due_at = null');
    await queueOf('two').repair(now);
    expect(await pending()).toBe('1 2 3 4');
    await sql("update deliveries set due_at = now() + interval '1 hour' where position = 3");
    await queue.repair(now);
    expect(await pending()).toBe('[1] 2 [3] 4');
    // One that waits for its next attempt still does.
    expect((await queue.readDue(some)).map(({ position }) => position)).toEqual([1]);
    await sql('update deliveries set due_at = null');
    await queue.release([]);
    await queueOf('two').repair(now);
    expect(await pending()).toBe('[1] 2 [3] 4');
  });

  test('the one that has been due for longest is found first', async () => {
    const queue = queueOf('one');
    await queue.acquire(now);
    await queue.addDeliveries([1], [1], now);
    await sql("update deliveries set due_at = due_at - interval '1 minute' where position = 3");
    expect((await queue.readDue({ ...some, free: [1] })).map(({ position }) => position)).toEqual([3]);
  });

  test('the next one keeps its time when the result of the one before is stored again, or one of another row', async () => {
    const queue = queueOf('one');
    await queue.acquire(now);
    await queue.addDeliveries([1], [1], now);
    const [first] = await queue.readDue(some);
    await queue.storeResults([settled(first?.id, 'delivered')], now);
    const [next] = await queue.readDue(some);
    await queue.storeResults([{ ...settled(next?.id, 'pending'), due: inAnHour }], now);
    await queue.storeResults([settled(first?.id, 'delivered')], now);
    const due = await queue.readDue(some);
    expect(due.map(({ position }) => position)).toEqual([3]);
    await queue.storeResults([settled(due[0]?.id, 'delivered')], now);
    expect(await queue.readDue(some)).toEqual([]);
  });
});

test('the oldest event that an enabled webhook waits for is one that is kept', async () => {
  const queue = queueOf('one');
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
  const oldest = async () => Math.max(0, ...(await queue.backlogs()).map(({ age }) => age ?? 0));
  expect(await oldest()).toBeCloseTo(3 * 3_600, -1);
  await sql('delete from events where position <= 2');
  await sql('update feed set deleted = 2');
  expect(await oldest()).toBeCloseTo(2 * 3_600, -1);
  await sql('update webhooks set enabled = false');
  expect(await oldest()).toBe(0);
});

// The embedded database does nothing else meanwhile.
test('with a hundred webhooks, a few deliveries are added for each, and the others in the next rounds', async () => {
  const [count, last] = [100, 240];
  const ids = Array.from({ length: count }, (_, n) => n + 1);
  await sql(
    `insert into webhooks (url, secret, position, created_at)
      select 'https://shop.example/', 'whsec_', 0, now() from generate_series(2, ${count})`,
  );
  await sql(
    `insert into events (position, time, type, subject, data)
      select n, now(), 'pet.created', 'pets/' || n, '{}' from generate_series(5, ${last}) as n`,
  );
  await sql(`update feed set last = ${last}`);
  const queue = queueOf('one');
  await queue.acquire(now);
  const equal = ids.map(() => 1 / count);
  expect(await queue.addDeliveries(ids, equal, now)).toBe(true);
  expect(await sql('select count(*)::integer from deliveries')).toEqual([[500]]);
  expect(await queue.addDeliveries(ids, equal, now)).toBe(true);
  expect(await sql('select distinct position::integer from webhooks')).toEqual([[10]]);
  expect(await queue.addDeliveries([1, 2, 3], [0.2, 0.1, 0.1], now)).toBe(true);
  expect(await sql('select position::integer from webhooks where id <= 4 order by id')).toEqual([
    [110],
    [60],
    [60],
    [10],
  ]);
});

describe('of two processes', () => {
  test('only one owns a webhook, until it leaves it or does not say so for a while', async () => {
    const [one, two] = [queueOf('one'), queueOf('two')];
    await one.acquire(now);
    await two.addDeliveries([1], [1], now);
    expect(await pending()).toBe('');
    await one.addDeliveries([1], [1], now);
    await two.release([]);
    expect(await two.acquire(now)).toEqual([]);
    expect(await two.readDue(some)).toEqual([]);
    await one.release([1]);
    expect(await two.acquire(now)).toEqual([]);
    await sql("update webhooks set owned_until = now() + interval '5 seconds'");
    // An attempt could take longer than that.
    expect(await one.readDue(some)).toEqual([]);
    await sql("update webhooks set owned_until = now() - interval '1 second'");
    expect(await two.acquire(now)).toHaveLength(1);
    const due = await two.readDue(some);
    expect(due).toHaveLength(2);
    // What the other has found out too late does not count.
    await one.storeResults([settled(due[0]?.id, 'delivered')], now);
    expect(await pending()).toBe('[1] 2 [3] 4');
  });
});

test.each([{ url: 'https://elsewhere.example/' }, { enabled: true }])(
  'a pause ends with the change %j',
  async (changes) => {
    const queue = queueOf('one');
    await queue.pause(1, 'https://shop.example/', inAnHour);
    expect(await queue.acquire(now)).toEqual([]);
    await webhookStore(database(), { isOn: true, reach: 'public', clock: Date.now }).update(1, changes, undefined);
    expect(await queue.acquire(now)).toHaveLength(1);
  },
);

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
      mending = queue.repair(now);
      await untilOthersWait(query);
    });
    await mending;
    expect(await sql('select status, due_at from deliveries where position = 1')).toEqual([['delivered', null]]);
  });
}

test.each([
  ['asks for a pause', (queue: ReturnType<typeof deliveryQueue>) => queue.pause(1, 'https://shop.example/', inAnHour)],
  [
    'has itself disabled',
    (queue: ReturnType<typeof deliveryQueue>) => queue.disable(1, 'https://shop.example/', 'Gone.'),
  ],
])('a receiver that %s is sent no more, also by a round that has begun', async (_, stop) => {
  const queue = queueOf('one');
  await queue.acquire(now);
  await queue.addDeliveries([1], [1], now);
  expect(await queue.readDue(some)).toHaveLength(2);
  await stop(queue);
  expect(await queue.readDue(some)).toEqual([]);
});

test('an attempt counts once, even if it is stored twice because the first time may have failed', async () => {
  const queue = queueOf('one');
  await queue.acquire(now);
  await queue.addDeliveries([1], [1], now);
  const [first] = await queue.readDue(some);
  for (let n = 0; n < 2; n++) await queue.storeResults([settled(first?.id, 'pending')], now);
  expect(await sql('select attempts::integer from deliveries where position = 1')).toEqual([[1]]);
});

test('a webhook is disabled once, for the log has a line each time, and only at the address that asked for it', async () => {
  const queue = queueOf('one');
  expect(await queue.disable(1, 'https://elsewhere.example/', 'Gone.')).toBe(false);
  const disabled = await Promise.all([1, 2, 3].map(() => queue.disable(1, 'https://shop.example/', 'Gone.')));
  expect(disabled.filter(Boolean)).toHaveLength(1);
});

test('a receiver is left alone for the longest pause that it has asked for, and only at that address', async () => {
  const queue = queueOf('one');
  await queue.pause(1, 'https://elsewhere.example/', inAnHour);
  expect(await queue.acquire(now)).toHaveLength(1);
  for (const until of [inAnHour, new Date(now.getTime() + 1_000)]) await queue.pause(1, 'https://shop.example/', until);
  expect(await queue.acquire(new Date(now.getTime() + 2_000))).toEqual([]);
  expect(await queue.acquire(inAnHour)).toHaveLength(1);
});

test('what was delivered is listed for a day, what was given up for 30 days, and what is pending until it ends', async () => {
  await sql(
    `insert into deliveries (webhook_id, epoch, position, type, subject, status, last_attempt_at)
      select 1, 1, 10 * days + n, 'pet.created', 'pets/1', status, now() - make_interval(days => days, hours => -1)
      from unnest(array[1, 2, 30, 31]) as days, unnest(array['pending', 'delivered', 'failed']) with ordinality as _ (status, n)`,
  );
  await queueOf('one').deleteOld(now);
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
  while (await queueOf('one').deleteMany());
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
  await queue.deleteOld(new Date(now.getTime() + 31 * 24 * 3_600_000));
  expect(await sql("select id from deliveries where status = 'failed'")).toEqual([]);
});
