import { describe, expect, test } from 'vitest';
import type { Query } from '../../../src/engine/db/driver.ts';
import { databaseKind } from '../../support/database.ts';
import { untilOthersWait } from '../../support/locks.ts';
import { now, queued, settled, some } from './queued.ts';

const { database, sql, queueOf, maintenanceOf, pending } = queued();

describe('a webhook whose pending deliveries are dropped', () => {
  const webhook = () => sql('select enabled, position::integer, disabled_because, version::integer from webhooks');

  test('is disabled with the reason, and enabled again begins with the first event that it lacks', async () => {
    const queue = queueOf('one');
    await queue.acquire(now);
    await queue.addDeliveries([1], [1], now);
    const due = await queue.readDue(some);
    await queue.storeResults([settled(due[0]?.id, 'delivered'), settled(due[1]?.id, 'delivered')], now);
    expect(await maintenanceOf('one').backlogs()).toMatchObject([{ id: 1, count: 2 }]);
    expect(await maintenanceOf('one').dropPending(1, 'Too many.')).toBe(true);
    expect(await maintenanceOf('one').dropPending(1, 'Too many.')).toBe(false);
    expect(await webhook()).toEqual([[false, 1, 'Too many.', 2]]);
    expect(await pending()).toBe('');
    await sql('update webhooks set enabled = true, disabled_because = null');
    await queue.addDeliveries([1], [1], now);
    expect(await pending()).toBe('[2] 4');
  });

  test('keeps the reason for which it is disabled already', async () => {
    const queue = queueOf('one');
    await queue.acquire(now);
    await queue.addDeliveries([1], [1], now);
    await queue.disable(1, 'https://shop.example/', 'Gone.');
    expect(await maintenanceOf('one').backlogs()).toEqual([{ id: 1, createdBy: null, count: 4, age: null }]);
    expect(await maintenanceOf('one').dropPending(1, 'Too many.')).toBe(true);
    expect(await webhook()).toEqual([[false, 0, 'Gone.', 3]]);
  });

  // The embedded database runs one transaction at a time.
  if (databaseKind === 'server') {
    test('keeps them while more are added, which could otherwise overtake those that are added again', async () => {
      const queue = queueOf('one');
      await queue.acquire(now);
      await queue.addDeliveries([1], [1], now);
      let dropping: Promise<boolean> | undefined;
      await database().transaction(async (query: Query) => {
        await query('update webhooks set position = 5', []);
        dropping = maintenanceOf('one').dropPending(1, 'Too many.');
        await untilOthersWait(query);
      });
      expect(await dropping).toBe(false);
      expect(await webhook()).toEqual([[true, 5, null, 1]]);
      expect(await pending()).toBe('[1] 2 [3] 4');
    });
  }
});
