import { expect, test } from 'vitest';
import type { Query } from '../../../src/engine/db/driver.ts';
import { webhookStore } from '../../../src/engine/webhooks/store.ts';
import { databaseKind } from '../../support/database.ts';
import { untilOthersWait } from '../../support/locks.ts';
import { now, queued, settled, some } from './queued.ts';

const { database, sql, queueOf, pending } = queued();

test('redelivery after an event that a webhook has not come to yet skips none before it', async () => {
  await sql('update webhooks set position = 1');
  await webhookStore(database(), { isOn: true, reach: 'public', clock: Date.now }).redeliver(1, '1.3');
  const queue = queueOf('one');
  await queue.acquire(now);
  await queue.addDeliveries([1], [1], now);
  expect(await pending()).toBe('[2] [3] 4');
});

// The embedded database runs one transaction at a time.
if (databaseKind === 'server') {
  test('a redelivery that commits while events are added has them added again, in order', async () => {
    const queue = queueOf('one');
    await queue.acquire(now);
    await queue.addDeliveries([1], [1], now);
    const due = await queue.readDue(some);
    await queue.storeResults(
      due.map(({ id }) => settled(id, 'delivered')),
      now,
    );
    await sql(`insert into events select 5, now(), 'pet.created', 'pets/1', '{}'`);
    await sql('update feed set last = 5');
    let adding: Promise<boolean> | undefined;
    await database().transaction(async (query: Query) => {
      await query('delete from deliveries where webhook_id = 1', []);
      await query('update webhooks set position = 0 where id = 1', []);
      adding = queue.addDeliveries([1], [1], now);
      await untilOthersWait(query);
    });
    await adding;
    expect(await pending()).toBe('');
    await queue.addDeliveries([1], [1], now);
    expect(await pending()).toBe('[1] 2 [3] 4 5');
  });

  test('events that are added while a redelivery begins are added again, in order', async () => {
    const queue = queueOf('one');
    await queue.acquire(now);
    await sql('update feed set last = 5');
    await sql(`insert into events select 5, now(), 'pet.created', 'pets/1', '{}'`);
    await sql('update webhooks set position = 4');
    let redelivering: Promise<unknown> | undefined;
    await database().transaction(async (query: Query) => {
      await query('update webhooks set position = 5 where id = 1', []);
      await query(
        `insert into deliveries (webhook_id, epoch, position, type, subject, due_at)
        values (1, 1, 5, 'pet.created', 'pets/1', now())`,
        [],
      );
      redelivering = webhookStore(database(), { isOn: true, reach: 'public', clock: Date.now }).redeliver(1, '1.0');
      await untilOthersWait(query);
    });
    await redelivering;
    expect(await pending()).toBe('');
    await queue.addDeliveries([1], [1], now);
    expect(await pending()).toBe('[1] 2 [3] 4 5');
  });
}
