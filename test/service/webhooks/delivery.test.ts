import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { pino } from 'pino';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { steadyTime } from '../../../src/engine/limits/rate.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { isWhole } from '../../support/cases.ts';
import { hasCommonTests } from '../../support/database.ts';
import { OK, type Received, type Receiver, startReceiver, until } from './receiver.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

let app: TestApp;
let receiver: Receiver;
/** How far the service's clock is ahead, in milliseconds. */
let ahead = 0;
/** What the service has logged. */
const logged: unknown[] = [];

beforeAll(async () => {
  const logger = pino({}, { write: (line) => logged.push(JSON.parse(line)) });
  app = await startTestApp({}, {}, undefined, () => steadyTime() + ahead, logger);
  await app.begin();
});
afterAll(async () => {
  await app.flush();
  await app.dispose();
});
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(async () => {
  for (const { id } of (await app.rest('GET', '/webhooks')).body) await app.rest('DELETE', `/webhooks/${id}`);
  await receiver.close();
});

interface Created {
  readonly id: number;
  readonly secret: string;
}

/** A webhook that gets the events of categories. */
async function newWebhook(types = ['category.created', 'category.updated']): Promise<Created> {
  const { status, body } = await app.rest('POST', '/webhooks', { body: { url: `${receiver.url}/hook`, types } });
  expect(status).toBe(201);
  return body;
}

async function newCategory(name = 'Dogs'): Promise<string> {
  return `/categories/${(await app.rest('POST', '/categories', { body: { name } })).body.id}`;
}

async function rename(category: string, name: string): Promise<void> {
  expect((await app.rest('PATCH', category, { body: { name } })).status).toBe(200);
}

/** Moves the clock, and has the service look at it: an event that no webhook gets wakes it. */
async function pass(milliseconds: number): Promise<void> {
  ahead += milliseconds;
  await app.rest('POST', '/store/orders', { body: {} });
}

async function deliveries(id: number, query = '') {
  return (await app.rest('GET', `/webhooks/${id}/deliveries?sort=id${query}`)).body;
}

const namesOf = (received: readonly Received[]) => received.map(({ event }) => event.data.name);

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
      await pass(Date.parse(nextAttemptAt) - (steadyTime() + ahead) - 2 * SECOND);
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
    expect(Date.parse(pausedUntil) - (steadyTime() + ahead)).toBeGreaterThan(110 * SECOND);
    await newCategory('other');
    await pass(110 * SECOND);
    expect(receiver.received.length).toBe(1);
    await pass(10 * SECOND);
    await until(() => receiver.received.length === 3, 'both received');
    expect(namesOf(receiver.received).sort()).toEqual(['other', 'slower', 'slower']);
  });

  test.each([
    ['with a fraction', () => '34.5', 34.5],
    ['as a date', () => new Date(steadyTime() + ahead + 40 * SECOND).toUTCString(), 40],
    ['of more than a day', () => '1000000', 86_400],
  ])('with 429 and a Retry-After %s, waits so long, but at most a day', async (_, retryAfter, most) => {
    const { id } = await newWebhook();
    receiver.answer = () => ({ status: 429, headers: { 'retry-after': retryAfter() } });
    await newCategory();
    await until(async () => (await deliveries(id))[0]?.attempts === 1, 'first attempt');
    const { pausedUntil } = (await app.rest('GET', `/webhooks/${id}`)).body;
    const seconds = (Date.parse(pausedUntil) - (steadyTime() + ahead)) / SECOND;
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

test('nothing is sent while events are off, even if it was due before', async () => {
  const on = await startTestApp();
  onTestFinished(on.dispose);
  await on.begin();
  receiver.answer = () => ({ status: 500 });
  await on.rest('POST', '/webhooks', { body: { url: receiver.url, types: ['category.created'] } });
  await on.rest('POST', '/categories', { body: { name: 'Dogs' } });
  await until(() => receiver.received.length === 1, 'received');
  await on.flush();
  const off = await startTestApp(
    { EVENTS: 'off' },
    {},
    () => on.database,
    () => steadyTime() + HOUR,
  );
  onTestFinished(off.dispose);
  await off.begin();
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(receiver.received).toHaveLength(1);
  await off.flush();
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

test('what is answered after the only webhook was disabled is stored', async () => {
  const { id } = await newWebhook();
  let answer = () => {};
  receiver.answer = () =>
    new Promise((resolve) => {
      answer = () => resolve(OK);
    });
  await newCategory();
  await until(() => receiver.received.length === 1, 'received');
  await app.rest('PATCH', `/webhooks/${id}`, { body: { enabled: false } });
  // Until the service has looked for webhooks again.
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  answer();
  await until(async () => (await deliveries(id, '&status=delivered')).length === 1, 'stored');
});

test('a stop waits shortly for answers; what it cuts off does not count, and another process may try at once', async () => {
  const other = await startTestApp();
  try {
    await other.begin();
    let answer = () => {};
    receiver.answer = ({ event }) =>
      new Promise((resolve) => {
        if (event.data.name === 'Cats') answer = () => resolve(OK);
      });
    const { body } = await other.rest('POST', '/webhooks', {
      body: { url: receiver.url, types: ['category.created'] },
    });
    for (const name of ['Dogs', 'Cats']) await other.rest('POST', '/categories', { body: { name } });
    await until(() => receiver.received.length === 2, 'received');
    const stopped = other.flush();
    answer();
    await stopped;
    const owner = 'select owner from webhooks where id = $1';
    expect(await other.database.transaction((query) => query(owner, [body.id]))).toEqual([[null]]);
    expect((await other.rest('GET', `/webhooks/${body.id}/deliveries?sort=id`)).body).toMatchObject([
      { attempts: 0, status: 'pending' },
      { attempts: 1, status: 'delivered' },
    ]);
    const metrics = await (await other.fetch(new Request('http://pets.example/metrics'))).text();
    expect(metrics).toContain('webhook_deliveries_total{outcome="retried"} 0\n');
  } finally {
    await other.dispose();
  }
});

test('a stop starts no further request, however many are due', async () => {
  const other = await startTestApp();
  onTestFinished(other.dispose);
  let stopped: Promise<void> | undefined;
  const stop = (message: unknown) => {
    if ((message as { request: { path: string } }).request.path === '/stopped') stopped ??= other.flush();
  };
  onTestFinished(() => void unsubscribe('http.client.request.start', stop));
  subscribe('http.client.request.start', stop);
  const body = { url: `${receiver.url}/stopped`, types: ['category.created'] };
  for (let n = 0; n < 10; n++) await other.rest('POST', '/webhooks', { body });
  await other.begin();
  await other.database.transaction((query) =>
    query("insert into categories (name) select 'Dogs' from generate_series(1, 10)", []),
  );
  await until(() => stopped !== undefined, 'stopped');
  await stopped;
  // Of the hundred, those that had begun.
  expect(receiver.received.length).toBeLessThan(50);
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
