import { describe, expect, test } from 'vitest';
import type { deliveryQueue } from '../../../src/engine/webhooks/queue.ts';
import { webhookStore } from '../../../src/engine/webhooks/store.ts';
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
