import { expect, onTestFinished, test } from 'vitest';
import { eventSourcesOf } from '../../../src/engine/application.ts';
import { toEventId } from '../../../src/engine/events/cursor.ts';
import { feedStore } from '../../../src/engine/events/feed.ts';
import { installEvents, RAISE_EPOCH } from '../../../src/engine/events/install.ts';
import { petStoreService } from '../../../src/petstore/service.ts';
import { openTestDatabase } from '../../support/database.ts';
import { publishing } from './publishing.ts';

const { database, query, category, endOfFeed, publish } = publishing();

test('a reader from before events were off cannot go on, because it has missed changes, and one from after can', async () => {
  await category();
  const last = await endOfFeed();
  const { page } = feedStore(database(), eventSourcesOf(petStoreService), { name: '/pet-store', isOn: true });
  const { next } = await page('now', {}, 1);
  await installEvents(database(), eventSourcesOf(petStoreService), 'on');
  expect((await page(`1.${last}`, {}, 1)).next).toEqual(next);
  await installEvents(database(), eventSourcesOf(petStoreService), 'off');
  await category();
  await installEvents(database(), eventSourcesOf(petStoreService), 'on');
  await expect(page(`1.${last}`, {}, 1)).rejects.toThrow(/events were switched on again\. Read the current state/);
  const now = await page('now', {}, 1);
  await category();
  await publish();
  expect((await page(toEventId(now.next), {}, 10)).events).toMatchObject([{ type: 'category.created' }]);
});

test('a reader from before events were off cannot go on, even if it began before the first event', async () => {
  const { database, dispose } = await openTestDatabase();
  onTestFinished(dispose);
  const sources = eventSourcesOf(petStoreService);
  const { page } = feedStore(database, sources, { name: '/pet-store', isOn: true });
  const { next } = await page('now', {}, 1);
  expect(next.position).toBe(0);
  await installEvents(database, sources, 'off');
  await installEvents(database, sources, 'on');
  await expect(page(toEventId(next), {}, 1)).rejects.toMatchObject({ code: 'GONE' });
});

test('the epoch is another one each time that it is raised, also twice within a second, or after the same backup', async () => {
  const epochs: unknown[] = [];
  const seconds = (Date.now() - Date.UTC(2025, 0)) / 1_000;
  for (let n = 0; n < 3; n++) {
    await query(RAISE_EPOCH);
    epochs.push((await query('select epoch::integer from feed'))[0]?.[0]);
  }
  expect(epochs).toEqual([...new Set(epochs)]);
  // If it were counted up, two restores of a backup would have the same. The server's clock may be another.
  expect(epochs[0]).toBeGreaterThan(seconds - 60);
});
