import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OPEN_ACCESS } from '../../../src/engine/auth/access.ts';
import type { Database } from '../../../src/engine/db/client.ts';
import { createApp } from '../../../src/engine/service.ts';
import { lifecycleStore } from '../../../src/engine/usage/store.ts';
import { petStoreService } from '../../../src/petstore/service.ts';
import { createMetrics } from '../../../src/process/metrics.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { defaultRules, defaultSettings } from '../../support/rules.ts';

let now = new Date('2026-11-21T23:59:58Z');
let app: TestApp;
const zone = process.env.TZ;

beforeAll(async () => {
  // Days are in UTC; in this time zone it is already the next day.
  process.env.TZ = 'Pacific/Auckland';
  app = await startTestApp({}, { clock: () => now });
  await app.begin();
});
afterAll(async () => {
  if (zone === undefined) delete process.env.TZ;
  else process.env.TZ = zone;
  await app.dispose();
});

const from = (client: string) => ({ headers: { 'api-client': client } });

interface Counted {
  readonly uses: number;
  readonly clients: number;
  readonly lastUsedAt: string | null;
  readonly verdict: string;
  readonly usesByDay: readonly { day: string; uses: number }[];
  readonly usesByClient: readonly { client: string; uses: number; lastSeenAt: string }[];
}

async function counted(coordinate: string, of: TestApp = app): Promise<Counted> {
  const { data } = await of.graphql(
    '{ lifecycle { coordinate uses clients lastUsedAt verdict usesByDay { day uses } usesByClient { client uses lastSeenAt } } }',
  );
  const { coordinate: _, ...rest } = data.lifecycle.find(
    (annotation: { coordinate: string }) => annotation.coordinate === coordinate,
  );
  return rest;
}

/** Counts uses as another process on the same database does. */
function another(database: Database) {
  const settings = defaultSettings;
  const rules = { ...defaultRules, clock: () => now };
  return createApp({
    application: petStoreService,
    database,
    settings,
    access: OPEN_ACCESS,
    rules,
    metrics: createMetrics(),
    logger: pino({ level: 'silent' }),
  });
}

describe('the use of an annotated element', () => {
  test('is listed by client and by day, in UTC, for REST and GraphQL', async () => {
    await app.rest('GET', '/pets/1', from('shop'));
    await app.rest('HEAD', '/pets/1', from('shop'));
    await app.rest('GET', '/pets/x', from('shop'));
    now = new Date('2026-11-22T00:00:00Z');
    await app.rest('GET', '/pets/1', from('till'));
    await app.graphql('{ a: pet(petId: 1) { id } b: pet(petId: 2) { id } }');
    await app.flush();
    expect(await counted('Query.pet')).toEqual({
      uses: 5,
      clients: 3,
      lastUsedAt: '2026-11-22T00:00:00.000Z',
      verdict: '3 clients left',
      usesByDay: [
        { day: '2026-11-21', uses: 3 },
        { day: '2026-11-22', uses: 2 },
      ],
      usesByClient: [
        { client: 'shop', uses: 3, lastSeenAt: '2026-11-21T23:59:58.000Z' },
        { client: '(unknown)', uses: 1, lastSeenAt: '2026-11-22T00:00:00.000Z' },
        { client: 'till', uses: 1, lastSeenAt: '2026-11-22T00:00:00.000Z' },
      ],
    });
  });

  test('is also listed by GET /lifecycle', async () => {
    const { status, headers, body } = await app.rest('GET', '/lifecycle');
    expect([status, headers.get('api-stability')]).toEqual([200, 'experimental']);
    expect(body[0]).toEqual({
      coordinate: 'Query.pet',
      operation: 'GET /pets/{petId}',
      level: 'deprecated',
      stability: 'stable',
      since: '2026-07-01',
      sunset: '2027-12-31',
      daysLeft: 404,
      successor: 'Query.pets',
      successorOperation: 'GET /pets?id={petId}',
      why: 'Lists take many ids at once and answer in one shape.',
      uses: 5,
      clients: 3,
      lastUsedAt: '2026-11-22T00:00:00.000Z',
      countedSince: '2026-11-21T23:59:58.000Z',
      verdict: '3 clients left',
    });
    const listed = body.map(({ operation, level }: { operation?: string; level: string }) => `${operation} ${level}`);
    expect(listed.slice(0, 2)).toEqual(['GET /pets/{petId} deprecated', expect.stringContaining(' beta')]);
    expect(listed.sort()).toEqual([
      'DELETE /store/inventory/{petId} experimental',
      'DELETE /webhooks/{webhookId} beta',
      'GET /events beta',
      'GET /lifecycle experimental',
      'GET /pets/{petId} deprecated',
      'GET /webhooks beta',
      'GET /webhooks/{webhookId} beta',
      'GET /webhooks/{webhookId}/deliveries beta',
      'PATCH /categories/{categoryId} beta',
      'PATCH /pets/{petId} beta',
      'PATCH /store/orders/{orderId} beta',
      'PATCH /webhooks/{webhookId} beta',
      'POST /webhooks beta',
      'POST /webhooks/{webhookId}/redeliver beta',
      'POST /webhooks/{webhookId}/secret beta',
      'PUT /store/inventory/{petId} beta',
      // A subscription has no operation on REST.
      'undefined beta',
    ]);
  });

  test('adds up over several processes, and is kept after a restart', async () => {
    const before = (await counted('Query.pet')).uses;
    const processes = [another(app.database), another(app.database), another(app.database)];
    const call = { headers: { 'api-client': 'many' } };
    for (let round = 0; round < 20; round++) {
      await Promise.all(processes.map((one) => one.fetch(new Request('http://pets.example/pets/1', call))));
      await Promise.all(processes.map((one) => one.flush()));
    }
    const restarted = another(app.database);
    await restarted.begin();
    const answer = await restarted.fetch(new Request('http://pets.example/lifecycle'));
    expect((await answer.json())[0]).toMatchObject({ uses: before + 60, countedSince: '2026-11-21T23:59:58.000Z' });
    // The list is itself a use, which would otherwise be stored during a later test.
    await restarted.flush();
  });

  test('is not lost while the database is unavailable', async () => {
    const { uses } = await counted('Mutation.updatePet');
    await app.rest('PATCH', '/pets/1', { body: {}, ...from('patient') });
    const rename = (one: string, other: string) =>
      app.database.transaction((query) => query(`alter table ${one} rename to ${other}`, []));
    await rename('lifecycle_uses', 'away');
    await app.flush();
    await app.rest('PATCH', '/pets/1', { body: {}, ...from('patient') });
    await rename('away', 'lifecycle_uses');
    await app.flush();
    expect(await counted('Mutation.updatePet')).toMatchObject({
      uses: uses + 2,
      usesByClient: [expect.objectContaining({ client: 'patient', uses: 2 })],
    });
  });

  test('is no longer listed after 30 days', async () => {
    now = new Date('2026-12-21T12:00:00Z');
    expect((await counted('Query.pet')).usesByDay).toEqual([{ day: '2026-11-22', uses: 62 }]);
    now = new Date('2026-12-22T12:00:00Z');
    expect(await counted('Query.pet')).toMatchObject({
      uses: 0,
      clients: 0,
      lastUsedAt: null,
      verdict: 'safe to remove after 2027-12-31: no use for 30 days',
    });
  });

  test('is read once for concurrent requests', async () => {
    app.statements.length = 0;
    const aliases = Array.from({ length: 40 }, (_, index) => `a${index}: lifecycle { uses }`).join(' ');
    const { data } = await app.graphql(`{ ${aliases} }`);
    expect(Object.keys(data)).toHaveLength(40);
    expect(app.statements.filter((name) => name.startsWith('lifecycle.')).sort()).toEqual([
      'lifecycle.counting',
      'lifecycle.uses',
    ]);
  });

  test('is neither counted nor deleted on a rehearsed day', async () => {
    const before = await counted('Query.pet');
    const rules = { ...defaultRules, clock: () => new Date('2029-01-01T00:00:00Z'), isRehearsal: true };
    const settings = defaultSettings;
    const logger = pino({ level: 'silent' });
    const rehearsal = createApp({
      application: petStoreService,
      database: app.database,
      settings,
      access: OPEN_ACCESS,
      rules,
      metrics: createMetrics(),
      logger,
    });
    await rehearsal.begin();
    await rehearsal.fetch(new Request('http://pets.example/pets/1'));
    await rehearsal.flush();
    now = new Date('2026-11-22T12:00:00Z');
    expect((await counted('Query.pet')).uses).toBe(before.uses + 65);
    now = new Date('2026-12-22T12:00:00Z');
  });

  test('keeps every client that was counted before, however many new ones come', async () => {
    const visit = async (names: readonly string[]) => {
      for (const name of names) await app.rest('PATCH', '/store/orders/0', { body: {}, ...from(name) });
      await app.flush();
    };
    const many = Array.from({ length: 260 }, (_, index) => `known-${index}`);
    await visit(many);
    await visit([...many, 'new-1', 'new-2']);
    expect(await counted('Mutation.updateOrder')).toMatchObject({ uses: 522, clients: 262 });
  });

  test('is bounded, whatever names clients send', async () => {
    const names = Array.from({ length: 600 }, (_, index) => `bot-${index}`);
    for (const name of names) await app.rest('DELETE', '/store/inventory/1', from(name));
    await app.flush();
    for (const name of names.slice(0, 100)) await app.rest('DELETE', '/store/inventory/1', from(`late-${name}`));
    await app.flush();
    const { uses, clients, usesByClient } = await counted('Mutation.stopTracking');
    expect([uses, clients, usesByClient.length]).toEqual([700, 501, 100]);
    const metrics = await (await app.fetch(new Request('http://pets.example/metrics'))).text();
    const lines = metrics.split('\n').filter((line) => line.startsWith('lifecycle_uses_total{'));
    expect(lines.length).toBeLessThan(120);
    expect(metrics).toMatch(
      /lifecycle_uses_total\{coordinate="Mutation\.stopTracking",level="experimental",client="\(others\)"\} [67]\d\d/,
    );
  });

  test('is counted for clients only: requests from the pages of this service are only in the metrics', async () => {
    const before = await counted('Mutation.updateOrder');
    for (const name of ['(reference)', '(playground)'])
      await app.rest('PATCH', '/store/orders/0', { ...from(name), body: {} });
    await app.flush();
    expect(await counted('Mutation.updateOrder')).toEqual(before);
    const metrics = await (await app.fetch(new Request('http://pets.example/metrics'))).text();
    for (const client of ['(reference)', '(playground)']) {
      expect(metrics).toContain(`{coordinate="Mutation.updateOrder",level="beta",client="${client}"} 1`);
    }
  });

  test('is deleted after a year, also by a process that does not start again', async () => {
    const rows = async () =>
      (await app.database.transaction((query) => query('select count(*)::int from lifecycle_uses', [])))[0]?.[0];
    await app.flush();
    now = new Date('2027-11-21T12:00:00Z');
    await app.begin();
    expect(await rows()).toBeGreaterThan(500);
    now = new Date('2027-12-25T12:00:00Z');
    await app.flush();
    expect(await rows()).toBe(0);
  });

  test('starts counting again after a release in which the element was not annotated, and so not counted', async () => {
    const rest = { names: new Map(), successors: new Map(), answered: new Set<string>() };
    const store = { annotated: [], rest, clock: () => now, isRehearsal: false, onFailure: () => {} };
    await lifecycleStore(app.database, store).begin();
    await another(app.database).begin();
    expect((await app.rest('GET', '/lifecycle')).body[0]).toMatchObject({
      coordinate: 'Query.pet',
      countedSince: now.toISOString(),
      verdict: 'no use yet; counted since today',
    });
  });

  test('is reported as of one instant: its days and its clients have the same uses, while more are stored', async () => {
    const sum = (counts: readonly { uses: number }[]) => counts.reduce((total, { uses }) => total + uses, 0);
    for (let round = 0; round < 50; round++) {
      await app.rest('GET', '/pets/1', from('shop'));
      const [{ uses, usesByDay, usesByClient }] = await Promise.all([counted('Query.pet'), app.flush()]);
      expect([sum(usesByDay), sum(usesByClient)]).toEqual([uses, uses]);
    }
  });
});
