import { describe, expect, test, vi } from 'vitest';
import { startTestApp } from '../../support/app.ts';
import { isWhole } from '../../support/cases.ts';
import { hasCommonTests } from '../../support/database.ts';
import {
  app,
  deliveries,
  HOUR,
  logged,
  MINUTE,
  namesOf,
  newCategory,
  newWebhook,
  now,
  pass,
  receiver,
  rename,
  SECOND,
  serveWebhooks,
} from './delivering.ts';
import { OK, until } from './receiver.ts';

serveWebhooks();

describe('a delivery that fails', () => {
  test('holds up its subject alone, which goes on in order afterwards', async () => {
    const { id } = await newWebhook();
    receiver.answer = ({ event }) => (event.data.name === 'bad' ? { status: 500 } : OK);
    const category = await newCategory('bad');
    await rename(category, 'second');
    await rename(category, 'third');
    await newCategory('other');
    await until(() => receiver.received.length === 2, 'two received');
    expect(namesOf(receiver.received).sort()).toEqual(['bad', 'other']);
    await until(async () => (await deliveries(id))[0].attempts === 1, 'the attempt is stored');
    await until(async () => (await deliveries(id, '&status=delivered')).length === 1, 'the other is stored');
    expect(await deliveries(id, '&status=pending')).toEqual([
      expect.objectContaining({ attempts: 1, responseStatus: 500, error: 'The answer was 500.' }),
      expect.objectContaining({ attempts: 0 }),
      expect.objectContaining({ attempts: 0 }),
    ]);
    receiver.answer = () => OK;
    await pass(5 * SECOND);
    await until(async () => (await deliveries(id, '&status=delivered')).length === 4, 'all delivered');
    expect(namesOf(receiver.received).slice(2)).toEqual(['bad', 'second', 'third']);
  });

  test('is tried again after 5 s, 5 min, 30 min, 2, 5, 10, 14, 20 and 24 h, and then given up', async () => {
    const { id } = await newWebhook();
    // Neither too short a wait, nor one that is past or not valid, changes that.
    const retryAfter = () => ['1', 'soon', new Date(0).toUTCString()][receiver.received.length % 3] as string;
    receiver.answer = ({ event }) =>
      event.data.name === 'bad' ? { status: 500, headers: { 'retry-after': retryAfter() } } : OK;
    const category = await newCategory('bad');
    await rename(category, 'next');
    const isStored = (attempts: number) => async () => (await deliveries(id))[0]?.attempts === attempts;
    await until(isStored(1), 'first attempt');
    const waits = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR)];
    for (const [n, wait] of waits.entries()) {
      const { lastAttemptAt, nextAttemptAt } = (await deliveries(id))[0];
      const between = Date.parse(nextAttemptAt) - Date.parse(lastAttemptAt);
      expect(between).toBeGreaterThanOrEqual(wait);
      expect(between).toBeLessThan(wait + 3 * SECOND);
      await pass(Date.parse(nextAttemptAt) - now() - 2 * SECOND);
      expect(receiver.received.length).toBe(n + 1);
      await pass(2 * SECOND);
      await until(isStored(n + 2), `attempt ${n + 2}`);
    }
    await until(async () => (await deliveries(id, '&status=delivered')).length === 1, 'the next one delivered');
    expect(await deliveries(id, '&status=failed')).toEqual([
      expect.objectContaining({ type: 'category.created', attempts: 10, responseStatus: 500 }),
    ]);
    // Each attempt has the same id.
    const attempts = receiver.received.filter(({ event }) => event.data.name === 'bad');
    expect(new Set(attempts.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(attempts).toHaveLength(10);
  });

  test('disables the webhook at a 410; enabled again, it gets what it has missed, in order', async () => {
    const { id } = await newWebhook();
    const { headers } = await app.rest('GET', `/webhooks/${id}`);
    receiver.answer = () => ({ status: 410 });
    const category = await newCategory('gone');
    await until(async () => (await app.rest('GET', `/webhooks/${id}`)).body.enabled === false, 'disabled');
    const disabled = await app.rest('GET', `/webhooks/${id}`);
    expect(disabled.body.disabledBecause).toBe('The answer was 410 (Gone).');
    expect(logged).toContainEqual(
      expect.objectContaining({
        msg: 'a webhook was disabled by its receiver',
        webhook: id,
        why: 'The answer was 410 (Gone).',
      }),
    );
    expect(disabled.headers.get('etag')).not.toBe(headers.get('etag'));
    receiver.answer = () => OK;
    await rename(category, 'missed');
    await pass(HOUR);
    expect(namesOf(receiver.received)).toEqual(['gone']);
    await app.rest('PATCH', `/webhooks/${id}`, { body: { enabled: true } });
    await until(() => receiver.received.length === 3, 'received what it has missed');
    expect(namesOf(receiver.received)).toEqual(['gone', 'gone', 'missed']);
    expect((await app.rest('GET', `/webhooks/${id}`)).body).not.toHaveProperty('disabledBecause');
  });

  test('with 429 and Retry-After, has all requests to the webhook wait that long', async () => {
    const { id } = await newWebhook();
    receiver.answer = () => ({ status: 429, headers: { 'retry-after': '120' } });
    await newCategory('slower');
    await until(async () => (await deliveries(id))[0]?.attempts === 1, 'first attempt');
    receiver.answer = () => OK;
    const { pausedUntil } = (await app.rest('GET', `/webhooks/${id}`)).body;
    expect(Date.parse(pausedUntil) - now()).toBeGreaterThan(110 * SECOND);
    await newCategory('other');
    await pass(110 * SECOND);
    expect(receiver.received.length).toBe(1);
    await pass(10 * SECOND);
    await until(() => receiver.received.length === 3, 'both received');
    expect(namesOf(receiver.received).sort()).toEqual(['other', 'slower', 'slower']);
  });

  test.each([
    ['with a fraction', () => '34.5', 34.5],
    ['as a date', () => new Date(now() + 40 * SECOND).toUTCString(), 40],
    ['of more than a day', () => '1000000', 86_400],
  ])('with 429 and a Retry-After %s, waits so long, but at most a day', async (_, retryAfter, most) => {
    const { id } = await newWebhook();
    receiver.answer = () => ({ status: 429, headers: { 'retry-after': retryAfter() } });
    await newCategory();
    await until(async () => (await deliveries(id))[0]?.attempts === 1, 'first attempt');
    const { pausedUntil } = (await app.rest('GET', `/webhooks/${id}`)).body;
    const seconds = (Date.parse(pausedUntil) - now()) / SECOND;
    expect(seconds).toBeGreaterThan(most - 10);
    expect(seconds).toBeLessThanOrEqual(most);
  });

  test('with 503 and Retry-After, gives the webhook another ETag with its pause', async () => {
    const { id } = await newWebhook();
    const before = await app.rest('GET', `/webhooks/${id}`);
    const headers = { 'if-none-match': before.headers.get('etag') as string };
    expect((await app.rest('GET', `/webhooks/${id}`, { headers })).status).toBe(304);
    receiver.answer = () => ({ status: 503, headers: { 'retry-after': '60' } });
    await newCategory();
    await until(async () => (await deliveries(id))[0]?.attempts === 1, 'first attempt');
    const after = await app.rest('GET', `/webhooks/${id}`, { headers });
    expect([after.status, after.body]).toEqual([200, { ...before.body, pausedUntil: expect.any(String) }]);
  });

  test('with 500 and Retry-After, waits that long alone', async () => {
    const { id } = await newWebhook();
    receiver.answer = () => ({ status: 500, headers: { 'retry-after': '60' } });
    await newCategory('slower');
    await until(async () => (await deliveries(id))[0]?.attempts === 1, 'first attempt');
    receiver.answer = () => OK;
    await newCategory('other');
    await until(() => receiver.received.length === 2, 'the other received');
    await pass(50 * SECOND);
    expect(receiver.received.length).toBe(2);
    await pass(10 * SECOND);
    await until(() => receiver.received.length === 3, 'received again');
  });

  test('is not sent to the address that a redirect names', async () => {
    const { id } = await newWebhook();
    receiver.answer = () => ({ status: 307, headers: { location: `${receiver.url}/other` } });
    await newCategory();
    await until(async () => (await deliveries(id))[0]?.attempts === 1, 'first attempt');
    expect((await deliveries(id))[0]).toMatchObject({
      status: 'pending',
      responseStatus: 307,
      error: 'The answer was 307, and redirects are not followed.',
    });
    expect(receiver.received.map(({ path }) => path)).toEqual(['/hook']);
  });
});

/** Has the database reject changes of a column while the work is done. */
async function withoutChanges(table: string, column: string, work: () => Promise<void>): Promise<void> {
  const inDatabase = (text: string) => app.database.transaction((query) => query(text, []));
  await inDatabase(
    `create function reject() returns trigger language plpgsql as 'begin raise exception $$No ${column}.$$; end'`,
  );
  // For each row: a statement with two updates of a table has its other triggers once, by the columns of one of them.
  await inDatabase(
    `create trigger is_full before update of ${column} on ${table} for each row execute function reject()`,
  );
  await work().finally(() => inDatabase('drop function reject cascade'));
}

test('a delivery is made again if the pause that the receiver asked for could not be stored', async () => {
  const { id } = await newWebhook();
  await withoutChanges('webhooks', 'paused_until', async () => {
    receiver.answer = () => ({ status: 429, headers: { 'retry-after': '1' } });
    await newCategory();
    await until(() => receiver.received.length >= 2, 'received again');
  });
  receiver.answer = () => OK;
  await until(async () => (await deliveries(id, '&status=delivered')).length === 1, 'delivered');
});

test('a result that could not be stored is stored later, and the delivery is not made again', async () => {
  const { id } = await newWebhook();
  await withoutChanges('deliveries', 'attempts', async () => {
    await newCategory();
    await until(() => logged.some((line) => JSON.stringify(line).includes('No attempts.')), 'not stored');
    await pass(5 * SECOND);
  });
  await until(async () => (await deliveries(id, '&status=delivered')).length === 1, 'stored');
  expect(receiver.received).toHaveLength(1);
});

test('an event that the service cannot read any more is tried like others, and holds up no other row', async () => {
  const { id } = await newWebhook();
  await app.database.transaction((query) =>
    query(
      `with feed as (update feed set last = last + 1 returning last)
        insert into events (position, time, type, subject, data) select last, now(), 'category.created', 'categories/0', '{}' from feed`,
      [],
    ),
  );
  await newCategory('other');
  await until(() => receiver.received.length === 1, 'the other received');
  await until(async () => (await deliveries(id, '&status=pending'))[0]?.attempts === 1, 'the attempt is stored');
  expect((await deliveries(id, '&status=pending'))[0].error).toBe('The service failed to make the request.');
  await app.database.transaction((query) => query("delete from events where subject = 'categories/0'", []));
});

test('a delivery whose event is no longer kept is given up, and says so', async () => {
  const failed = async () => {
    const metrics = await (await app.fetch(new Request('http://pets.example/metrics'))).text();
    return Number(/^webhook_deliveries_total\{outcome="failed"\} (\d+)$/m.exec(metrics)?.[1]);
  };
  const before = await failed();
  const { id } = await newWebhook();
  receiver.answer = () => ({ status: 500 });
  await newCategory();
  await until(async () => (await deliveries(id))[0]?.attempts === 1, 'first attempt');
  await app.database.transaction((query) => query('delete from events', []));
  await pass(5 * SECOND);
  await until(async () => (await deliveries(id, '&status=failed')).length === 1, 'given up');
  const error = 'The event was deleted before it could be delivered.';
  expect((await deliveries(id))[0]).toMatchObject({ attempts: 1, error });
  expect(await failed()).toBe(before + 1);
  expect(logged).toContainEqual(
    expect.objectContaining({ msg: 'an event was given up for a webhook', webhook: id, why: error }),
  );
});

// On a server it takes half as long.
if (hasCommonTests || isWhole) {
  test('of more than 300,000 pending deliveries, those of the webhook with the most are dropped, and it is disabled', async () => {
    const other = await startTestApp();
    try {
      const hooks = ['a', 'b'].map((name) =>
        other.rest('POST', '/webhooks', { body: { url: `${receiver.url}/${name}`, types: ['pet.created'] } }),
      );
      const [few, many] = (await Promise.all(hooks)).map(({ body }) => body.id);
      await other.database.transaction((query) =>
        query(
          `insert into deliveries (webhook_id, epoch, position, type, subject, due_at)
          select case when n <= 10 then ${few} else ${many} end, 1, n, 'pet.created', 'pets/1', now() + interval '1 day'
          from generate_series(1, 300001) as n`,
          [],
        ),
      );
      await other.database.transaction((query) =>
        query(
          `insert into deliveries (webhook_id, epoch, position, type, subject, status, attempts, last_attempt_at)
          values (${few}, 1, 0, 'pet.created', 'pets/1', 'delivered', 1, now() - interval '2 days')`,
          [],
        ),
      );
      await other.rest('POST', '/categories', { body: { name: 'Dogs' } });
      vi.useFakeTimers({ toFake: ['setInterval'] });
      await other.begin();
      await until(async () => (await other.rest('GET', '/events')).body.length === 1, 'published');
      vi.advanceTimersByTime(15 * SECOND);
      vi.useRealTimers();
      const stateOf = async (id: number) => (await other.rest('GET', `/webhooks/${id}`)).body;
      await until(async () => !(await stateOf(many)).enabled, 'disabled');
      expect((await stateOf(many)).disabledBecause).toMatch(/^More than 300,000 deliveries were pending/);
      expect((await stateOf(few)).enabled).toBe(true);
      expect((await other.rest('GET', `/webhooks/${many}/deliveries`)).body).toEqual([]);
      // Without the old one that was delivered.
      expect((await other.rest('GET', `/webhooks/${few}/deliveries`)).body).toHaveLength(10);
      const metrics = await (await other.fetch(new Request('http://pets.example/metrics'))).text();
      expect(metrics).toMatch(/^webhook_oldest_undelivered_seconds .*[1-9]/m);
      expect(metrics).toContain('webhook_deliveries_total{outcome="disabled"} 1\n');
    } finally {
      await other.dispose();
    }
  });
}
