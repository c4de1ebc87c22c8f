import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startTestApp } from '../../support/app.ts';
import {
  app,
  deliveries,
  HOUR,
  namesOf,
  newCategory,
  newWebhook,
  pass,
  receiver,
  rename,
  serveWebhooks,
} from './delivering.ts';
import { OK, type Received, startReceiver, until } from './receiver.ts';

serveWebhooks();

describe('an event is delivered', () => {
  test('as /events has it, signed so that standardwebhooks and svix verify it', async () => {
    const { secret } = await newWebhook();
    await newCategory();
    await until(() => receiver.received.length > 0, 'received');
    const [{ headers, body, path, event }] = receiver.received as [Received];
    expect([path, headers['content-type'], headers['user-agent']]).toEqual(['/hook', 'application/json', 'pet-store']);
    const [, epoch, position] = /^(\d+)\.(\d+)$/.exec(event.id) ?? [];
    expect(headers['webhook-id']).toBe(`evt_${epoch}_${position}`);
    const feed = await app.rest('GET', `/events?after=${epoch}.${Number(position) - 1}&limit=1`);
    expect(`[${body}]`).toBe(feed.text);
    expect(new StandardWebhook(secret).verify(body, headers)).toEqual(event);
    expect(new SvixWebhook(secret).verify(body, headers)).toEqual(event);
    expect(() => new StandardWebhook(secret).verify(body.replace('Dogs', 'Cats'), headers)).toThrow();
  });

  test('once, and only to webhooks that want its type', async () => {
    const { id } = await newWebhook();
    await newWebhook(['pet.created']);
    const category = await newCategory();
    await rename(category, 'Hounds');
    await app.rest('DELETE', category);
    await until(() => receiver.received.length >= 2, 'both received');
    await until(async () => (await deliveries(id, '&status=delivered')).length === 2, 'both stored');
    expect(receiver.received.map(({ event }) => event.type)).toEqual(['category.created', 'category.updated']);
    expect(await deliveries(id)).toEqual([
      expect.objectContaining({ type: 'category.created', status: 'delivered', attempts: 1, responseStatus: 204 }),
      expect.objectContaining({ type: 'category.updated', status: 'delivered', attempts: 1, responseStatus: 204 }),
    ]);
  });

  test('not to a webhook with only types that this version does not have: it is shown as disabled, and says why', async () => {
    const { id } = await newWebhook();
    await newWebhook();
    await app.database.transaction((query) => query("update webhooks set types = 'pet.sold' where id = $1", [`${id}`]));
    const shown = {
      types: [],
      enabled: false,
      disabledBecause: 'This version of the service has none of the types of events that it is for.',
    };
    expect((await app.rest('GET', `/webhooks/${id}`)).body).toMatchObject(shown);
    const { types, enabled } = shown;
    const change = (body: object) => app.rest('PATCH', `/webhooks/${id}`, { body });
    expect((await change({ description: 'For sales.' })).body).toMatchObject(shown);
    await newCategory();
    await until(() => receiver.received.length > 0, 'received');
    expect([receiver.received.length, await deliveries(id)]).toEqual([1, []]);
    expect((await change({ types, enabled })).body.enabled).toBe(false);
    const all = await change({ types, enabled: true });
    expect([all.body.enabled, 'disabledBecause' in all.body]).toEqual([true, false]);
  });

  test('without holding up requests: however many are due, few are sent in one turn of the event loop', async () => {
    for (let n = 0; n < 10; n++) await newWebhook();
    let sent = 0;
    let most = 0;
    const count = (message: unknown) => {
      if ((message as { request: { path: string } }).request.path === '/hook') most = Math.max(most, ++sent);
    };
    let turn = setImmediate(function next() {
      sent = 0;
      turn = setImmediate(next);
    });
    onTestFinished(() => {
      clearImmediate(turn);
      unsubscribe('http.client.request.start', count);
    });
    subscribe('http.client.request.start', count);
    await Promise.all(Array.from({ length: 10 }, () => newCategory()));
    await until(() => receiver.received.length >= 100, 'all received');
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThan(10);
  });

  test('in order with the others of its subject, one after another, while other subjects go on', async () => {
    const { id } = await newWebhook();
    let running = 0;
    let most = 0;
    receiver.answer = async ({ event }) => {
      if (event.subject !== first) return OK;
      most = Math.max(most, ++running);
      await until(async () => others.every((name) => namesOf(receiver.received).includes(name)), 'the others');
      running--;
      return OK;
    };
    const others = ['a', 'b', 'c', 'd', 'e'];
    const category = await newCategory('v1');
    const first = category.slice(1);
    for (const name of ['v2', 'v3', 'v4']) await rename(category, name);
    for (const name of others) await newCategory(name);
    await until(async () => (await deliveries(id, '&status=delivered')).length === 9, 'all delivered');
    expect(namesOf(receiver.received.filter(({ event }) => event.subject === first))).toEqual(['v1', 'v2', 'v3', 'v4']);
    expect(most).toBe(1);
  });

  test('at the same time as at most nine others, however many rows have changed', async () => {
    await newWebhook();
    let [running, most] = [0, 0];
    receiver.answer = async () => {
      most = Math.max(most, ++running);
      await until(() => receiver.received.length >= 10, 'ten received');
      // Time for others, if they were sent too.
      await new Promise((resolve) => setTimeout(resolve, 100));
      running--;
      return OK;
    };
    await Promise.all(Array.from({ length: 12 }, () => newCategory()));
    await until(() => receiver.received.length === 12, 'all received');
    expect(most).toBe(10);
  });
});

test('nothing is sent to this machine in production, even for a webhook that was made elsewhere', async () => {
  const production = await startTestApp({ NODE_ENV: 'production' });
  onTestFinished(production.dispose);
  const { body } = await production.rest('POST', '/webhooks', { body: { url: 'https://shop.example/' } });
  await production.database.transaction((query) => query('update webhooks set url = $1', [receiver.url]));
  await production.begin();
  await production.rest('POST', '/categories', { body: { name: 'Dogs' } });
  const log = async () => (await production.rest('GET', `/webhooks/${body.id}/deliveries`)).body;
  await until(async () => (await log())[0]?.attempts === 1, 'tried');
  expect(await log()).toMatchObject([{ error: 'The name of the URL leads to an address that is not public.' }]);
  expect(receiver.received).toEqual([]);
  await production.flush();
});

test('a rotated secret: both sign for a day, and then only the new one does', async () => {
  const { id, secret: old } = await newWebhook();
  const etag = async () => (await app.rest('GET', `/webhooks/${id}`)).headers.get('etag');
  const before = await etag();
  const { body } = await app.rest('POST', `/webhooks/${id}/secret`);
  expect(body.secret).not.toBe(old);
  expect(await etag()).not.toBe(before);
  await newCategory();
  await until(() => receiver.received.length === 1, 'received');
  const [first] = receiver.received as [Received];
  expect(first.headers['webhook-signature']).toBe(`${signature(first, body.secret)} ${signature(first, old)}`);
  await pass(24 * HOUR);
  await newCategory();
  await until(() => receiver.received.length === 2, 'received');
  const second = receiver.received[1] as Received;
  expect(second.headers['webhook-signature']).toBe(signature(second, body.secret));
});

/** The signature that the verifying library makes. */
function signature({ headers, body }: Received, secret: string): string {
  const time = new Date(Number(headers['webhook-timestamp']) * 1_000);
  return new StandardWebhook(secret).sign(headers['webhook-id'] as string, time, body);
}

test('redelivery sends everything after an event again, in order, under the same ids', async () => {
  const { id } = await newWebhook();
  const category = await newCategory('v1');
  await until(() => receiver.received.length === 1, 'received');
  await rename(category, 'v2');
  await until(() => receiver.received.length === 2, 'received');
  await rename(category, 'v3');
  await until(async () => (await deliveries(id, '&status=delivered')).length === 3, 'all delivered');
  await app.database.transaction((query) =>
    query("update deliveries set status = 'failed' where type = 'category.updated'", []),
  );
  const [first] = receiver.received as [Received];
  const { status } = await app.rest('POST', `/webhooks/${id}/redeliver?after=${first.event.id}`);
  expect(status).toBe(200);
  await until(() => receiver.received.length === 5, 'received again');
  expect(namesOf(receiver.received)).toEqual(['v1', 'v2', 'v3', 'v2', 'v3']);
  const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
  expect(ids.slice(3)).toEqual(ids.slice(1, 3));
  await until(async () => (await deliveries(id, '&status=delivered')).length === 3, 'all delivered');
  expect(await deliveries(id, '&status=failed')).toEqual([]);
});

test('redelivery waits for a request in progress for the same row', async () => {
  const { id } = await newWebhook();
  let running = 0;
  let most = 0;
  receiver.answer = async () => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setTimeout(resolve, 300));
    running--;
    return OK;
  };
  const before = (await app.rest('GET', '/events?after=now')).headers.get('link') ?? '';
  const [, after] = /after=([\d.]+)/.exec(before) ?? [];
  const category = await newCategory('v1');
  await rename(category, 'v2');
  await until(() => receiver.received.length === 1, 'first received');
  expect((await app.rest('POST', `/webhooks/${id}/redeliver?after=${after}`)).status).toBe(200);
  await until(async () => (await deliveries(id, '&status=delivered')).length === 2, 'both delivered');
  expect(most).toBe(1);
  expect(namesOf(receiver.received)).toEqual(['v1', 'v1', 'v2']);
});

test('slow receivers do not keep others waiting', async () => {
  const slow = await startReceiver();
  slow.answer = () => new Promise((resolve) => setTimeout(resolve, 9_000, OK));
  for (let n = 0; n < 30; n++) {
    await app.rest('POST', '/webhooks', { body: { url: slow.url, types: ['category.created'] } });
  }
  const { id } = await newWebhook();
  for (let n = 0; n < 20; n++) await newCategory(`${n}`);
  const started = performance.now();
  await until(async () => (await deliveries(id, '&status=delivered&limit=100')).length === 20, 'all delivered');
  expect(performance.now() - started).toBeLessThan(8_000);
  // All of them at once: 200, and a few more, as each webhook may have as many.
  expect(slow.received.length).toBeLessThan(250);
  await slow.close();
});

test('many webhooks of one caller do not delay those of another', async () => {
  const sql = (...texts: readonly string[]) =>
    app.database.transaction(async (query) => {
      for (const text of texts) await query(text, []);
    });
  const { id } = await newWebhook();
  for (const name of ['Dogs', 'Cats', 'Owls']) await newCategory(name);
  // With their results stored: until then, none of these rows is sent again.
  await until(async () => (await deliveries(id, '&status=delivered')).length === 3, 'all stored');
  const paths: string[] = [];
  const add = (message: unknown) => paths.push((message as { request: { path: string } }).request.path);
  subscribe('http.client.request.start', add);
  onTestFinished(async () => {
    unsubscribe('http.client.request.start', add);
    await sql("delete from webhooks where created_by = 'another caller'");
  });
  // The others have several events to get, all of which came before the one event that it has to get again.
  await sql(
    `insert into webhooks (url, secret, position, created_at, created_by)
      select '${receiver.url}/other', 'whsec_', last - 3, now(), 'another caller' from feed, generate_series(1, 80)`,
    `delete from deliveries where webhook_id = ${id}`,
    `update webhooks set position = position - 1 where id = ${id}`,
  );
  await pass(0);
  await until(() => paths.includes('/hook'), 'received again');
  expect(paths.indexOf('/hook')).toBeLessThanOrEqual(100);
});
