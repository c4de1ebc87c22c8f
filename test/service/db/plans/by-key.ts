import { expect, test } from 'vitest';
import { keyStore } from '../../../../src/engine/idempotency/store.ts';
import { maintenanceStatements } from '../../../../src/engine/webhooks/maintenance.ts';
import { deliveryQueue } from '../../../../src/engine/webhooks/queue.ts';
import type { Plan } from '../../../support/plans.ts';
import { ask } from '../../graphql/ask.ts';
import { app, statements } from './filled.ts';

const KEYED = { caller: 'me', account: 'me', authorizeRead: () => {}, fingerprint: 'same' };
const ROWS_OF_KEYS = `select (seq_tup_read + idx_tup_fetch)::int from pg_stat_xact_user_tables
  where relname = 'idempotency_keys'`;

const tried = new Set<string>();

async function plansOf(work: () => Promise<unknown>): Promise<Plan[]> {
  app.statements.length = 0;
  const plans = await app.plansOf(work);
  for (const name of app.statements) tried.add(name);
  // Otherwise uses of annotated elements would be stored later, among the statements of other work.
  await app.flush();
  expect(plans).not.toEqual([]);
  return plans;
}

/** Checks that each statement finds its rows by an index, and reads at most `most` rows. */
async function expectByIndex(most: number, work: () => Promise<unknown>, planning = ''): Promise<void> {
  const plans = (await plansOf(work)).filter((plan) => plan.planning.includes(planning));
  expect(plans.filter(({ scans, rowsRead }) => scans > 0 || rowsRead > most).map(({ words }) => words)).toEqual([]);
}

/** Does the work while PostgreSQL does not know what is in a table. */
async function withoutStatistics(table: string, work: () => Promise<void>): Promise<void> {
  const run = (text: string) => app.database.transaction((query) => query(text, []));
  await run(`delete from pg_statistic where starelid = '${table}'::regclass`);
  await work().finally(() => run(`analyze ${table}`));
}

function restOf(method: string, path: string, status: number, body?: unknown) {
  return async () => {
    const answer = await app.rest(method, path, { body });
    expect([answer.status, answer.text]).toEqual([status, answer.text]);
    return answer.body;
  };
}

export function testKeys(): void {
  test('a row is found by its key', async () => {
    for (const path of ['/pets/9001', '/categories/700', '/store/orders/5000', '/store/inventory/9001']) {
      await expectByIndex(2, restOf('GET', path, 200));
    }
  });

  test('rows that a page refers to are found by their keys, and nested lists by their parents', async () => {
    const queries = [
      '{ pets(first: 20, sort: id_desc) { nodes { category { name } inventory { quantity } orders(first: 3) { nodes { id } } } } }',
      '{ orders(first: 20) { nodes { pet { category { name } } } } }',
      '{ inventory(first: 3) { nodes { pet { name } } } }',
      '{ categories(first: 5) { nodes { pets(last: 3) { nodes { name } } } } }',
      '{ pets(first: 20) { nodes { orders { totalCount } } } }',
    ];
    for (const query of queries) await expectByIndex(60, () => ask(app, query));
  });

  test('a count of the pets in one category reads only these', async () => {
    const count = () => ask(app, '{ category(categoryId: 3) { pets(first: 1) { totalCount } } }');
    // A generic plan would also fit all categories at once, and so read every pet.
    await expectByIndex(2_000, count, 'custom');
  });

  test('a write finds its row by its key, and so do its foreign key checks', async () => {
    const write = async (method: string, path: string, status: number, body?: unknown) => {
      // biome-ignore lint/suspicious/noExplicitAny: a test looks at whatever came.
      let answer: any;
      await expectByIndex(10, async () => {
        answer = await restOf(method, path, status, body)();
      });
      return answer;
    };
    const { id: categoryId } = await write('POST', '/categories', 201, { name: 'Any' });
    await write('PUT', `/categories/${categoryId}`, 200, { name: 'Some' });
    await write('PATCH', `/categories/${categoryId}`, 200, { name: 'All' });
    const { id } = await write('POST', '/pets', 201, { name: 'Rex', categoryId });
    await write('PUT', `/pets/${id}`, 200, { name: 'Max', categoryId });
    await write('PATCH', `/pets/${id}`, 200, { status: 'sold' });
    await write('PUT', `/store/inventory/${id}`, 201, { quantity: 3 });
    await expectByIndex(10, () =>
      app.rest('PUT', `/store/inventory/${id}`, { body: { quantity: 3 }, headers: { 'if-match': '"999"' } }),
    );
    const order = await write('POST', '/store/orders', 201, { petId: id, quantity: 2 });
    await write('POST', '/store/orders', 409, { petId: id, quantity: 2 });
    await write('PATCH', `/store/orders/${order.id}`, 200, { quantity: 3 });
    await write('PATCH', `/store/orders/${order.id}`, 409, { quantity: 4 });
    await write('DELETE', `/store/orders/${order.id}`, 204);
    await write('POST', '/store/orders', 201, {});
    await write('DELETE', `/store/inventory/${id}`, 204);
    await write('DELETE', `/pets/${id}`, 204);
    await write('DELETE', `/categories/${categoryId}`, 204);
  });

  test('pets that are created together are checked against the categories, which may all be read', async () => {
    const create = restOf('POST', '/pets', 201, { name: 'Rex', categoryId: 3 });
    await expectByIndex(6_100, () => Promise.all([create(), create()]));
  });

  test('categories that are created, changed or deleted together are found without reading others', async () => {
    const create = restOf('POST', '/categories', 201, { name: 'Any' });
    // biome-ignore lint/suspicious/noExplicitAny: a test looks at whatever came.
    let created: any[] = [];
    await expectByIndex(10, async () => {
      created = await Promise.all([create(), create()]);
    });
    const ids = created.map(({ id }) => id);
    const rename = (id: number) => restOf('PATCH', `/categories/${id}`, 200, { name: 'Some' })();
    await expectByIndex(10, () => Promise.all(ids.map(rename)));
    const remove = (id: number) => restOf('DELETE', `/categories/${id}`, 204)();
    await expectByIndex(10, () => Promise.all(ids.map(remove)));
  });

  test('pets that are changed or deleted together are found by their keys', async () => {
    const replace = (id: number) => restOf('PUT', `/pets/${id}`, 200, { name: 'Any', categoryId: 3 })();
    await expectByIndex(20, () => Promise.all([9002, 9003].map(replace)));
    const sell = (id: number) => restOf('PATCH', `/pets/${id}`, 200, { status: 'sold' })();
    await expectByIndex(10, () => Promise.all([9002, 9003].map(sell)));
    const remove = (id: number) => restOf('DELETE', `/pets/${id}`, 204)();
    await expectByIndex(20, () => Promise.all([9002, 9003].map(remove)));
  });

  test('orders that are placed or changed together find their pets and stock by keys', async () => {
    const place = (petId: number) => restOf('POST', '/store/orders', 201, { petId })();
    // biome-ignore lint/suspicious/noExplicitAny: a test looks at whatever came.
    let placed: any[] = [];
    await expectByIndex(10, async () => {
      placed = await Promise.all([9001, 9011].map(place));
    });
    const change = ({ id }: { id: number }) => restOf('PATCH', `/store/orders/${id}`, 200, { quantity: 2 })();
    await expectByIndex(20, () => Promise.all(placed.map(change)));
  });

  test('stock that is replaced together is found by the keys of its pets', async () => {
    const count = (petId: number) => restOf('PUT', `/store/inventory/${petId}`, 200, { quantity: 9 })();
    await expectByIndex(10, () => Promise.all([9001, 9011].map(count)));
    const begin = (petId: number) => restOf('PUT', `/store/inventory/${petId}`, 201, { quantity: 9 })();
    const create = restOf('POST', '/pets', 201, { name: 'Any', categoryId: 3 });
    const fresh: number[] = [];
    for (let n = 0; n < 4; n++) fresh.push((await create()).id);
    await expectByIndex(10, () => Promise.all(fresh.slice(0, 2).map(begin)));
    await withoutStatistics('inventory', () => expectByIndex(10, () => Promise.all(fresh.slice(2).map(begin))));
  });
}

/** From the start on that these begin with, the app works beside its requests. */
export function testFromStart(): void {
  test('uses are stored by their keys, and reported by their days', async () => {
    await expectByIndex(10, () => app.begin());
    await expectByIndex(300, async () => {
      await app.rest('GET', '/pets/9001');
      await app.flush();
    });
    // A month of twelve.
    await expectByIndex(6_000, () => app.rest('GET', '/lifecycle'));
  });

  test('the stored response to a request is found by its idempotency key', async () => {
    const create = () =>
      app.rest('POST', '/categories', { body: { name: 'Any' }, headers: { 'idempotency-key': 'the-same' } });
    for (const _ of ['first', 'second']) await expectByIndex(10, create);
    const keyed = (key: string) => app.rest('POST', '/store/orders', { body: {}, headers: { 'idempotency-key': key } });
    for (const _ of ['first', 'second']) await expectByIndex(10, () => Promise.all(['a', 'b', 'c'].map(keyed)));
  });

  test('stored responses are found by their keys alone, even if there were none when PostgreSQL planned it', async () => {
    const rollback = new Error('The work is rolled back.');
    const growing = app.database.transaction(async (query) => {
      const keys = keyStore(app.database.inTransaction((text, parameters) => query(text, parameters)));
      const rowsRead = async () => Number((await query(ROWS_OF_KEYS, []))[0]?.[0]);
      const requests = ['key 1', 'key 20000', 'another'].map((key) => ({ ...KEYED, key }));
      await query('set local plan_cache_mode = force_generic_plan', []);
      await query('truncate idempotency_keys', []);
      expect(await keys.find(requests)).toEqual([undefined, undefined, undefined]);
      await query(
        `insert into idempotency_keys (caller, key, fingerprint, status, headers)
          select 'me', 'key ' || n, 'same', 201, '[]' from generate_series(1, 20000) as n`,
        [],
      );
      const before = await rowsRead();
      const reply = { status: 201, headers: [], body: null };
      expect(await keys.find(requests)).toEqual([
        { fingerprint: 'same', reply },
        { fingerprint: 'same', reply },
        undefined,
      ]);
      expect((await rowsRead()) - before).toBe(2);
      throw rollback;
    });
    await expect(growing).rejects.toBe(rollback);
  });

  test('pages of events are found by their positions and rows', async () => {
    await app.database.transaction(async (query) => {
      await query(
        `insert into events (position, time, type, subject, data)
        select 1000000 + n, now(), case n % 1000 when 0 then 'pet.deleted' else 'pet.created' end, 'pets/' || n % 5000, '{"id":1,"name":"Rex","categoryId":1,"status":"sold","version":1}'
        from generate_series(1, 30000) as n`,
        [],
      );
      await query('update feed set last = 1030000', []);
      await query('analyze events', []);
    });
    await expectByIndex(120, restOf('GET', '/events?after=1.1020000&limit=100', 200));
    await expectByIndex(20, restOf('GET', '/events?subject=pets/7&after=now', 200));
    await expectByIndex(20, restOf('GET', '/events?subject=pets/7&after=1.1000005', 200));
    await expectByIndex(20, restOf('GET', '/events?subject=pets/7&type=pet.deleted&after=1.1000005', 200));
    // It looks through two thousand for rare types, and goes on with the next page.
    await expectByIndex(2_020, restOf('GET', '/events?type=pet.deleted&after=1.1000005', 200));
  });

  test('webhooks are found by their keys, and deliveries by their webhooks and subjects', async () => {
    const { id } = await restOf('POST', '/webhooks', 201, { url: 'https://shop.example/' })();
    await expectByIndex(110, restOf('POST', '/webhooks', 201, { url: 'https://shop.example/' }));
    // There are so few webhooks that they may all be read.
    await expectByIndex(110, restOf('GET', `/webhooks/${id}`, 200));
    await expectByIndex(110, restOf('PATCH', `/webhooks/${id}`, 200, { enabled: false }));
    await expectByIndex(110, restOf('POST', `/webhooks/${id}/secret`, 200));
    await expectByIndex(110, restOf('POST', `/webhooks/${id}/redeliver?after=now`, 200));
    await expectByIndex(110, restOf('DELETE', `/webhooks/${id}`, 204));
  });

  test('deliveries are made without reading those that are not due', async () => {
    const [queue, maintenance] = [deliveryQueue(app.planned, 'me'), maintenanceStatements(app.planned, 'me')];
    const now = new Date();
    const some = { types: ['pet.created'], running: [], now };
    await app.database.transaction((query) => query('update webhooks set enabled = id <= 5', []));
    expect(await queue.acquire(now)).toHaveLength(5);
    await app.database.transaction((query) => query('update webhooks set position = 1029900', []));
    await expectByIndex(2_000, () => queue.addDeliveries([1, 2], [0.5, 0.5], now));
    await expectByIndex(200, () => queue.readDue({ ids: [1, 2], free: [10, 10], ...some }));
    const settleSome = async () => {
      await queue.acquire(now);
      const due = await queue.readDue({ ids: [1], free: [3], ...some });
      expect(due).toHaveLength(3);
      const settlement = { status: 'delivered', attempts: 1, at: now, due: null, response: 200, error: null } as const;
      await expectByIndex(500, () =>
        queue.storeResults(
          due.map(({ id }) => ({ ...settlement, id })),
          now,
        ),
      );
    };
    await settleSome();
    // A server has none of a table that has just grown, and the embedded database never has any.
    await withoutStatistics('deliveries', settleSome);
    await expectByIndex(110, () => queue.pause(1, 'https://shop.example/', now));
    await expectByIndex(110, () => queue.disable(1, 'https://shop.example/', 'why'));
    await expectByIndex(10, () => maintenance.deleteOld(now));
    // Those of a webhook are read when another process has left it, and before it is disabled, and all are counted.
    await expectByIndex(60_000, () => maintenance.deleteMany());
    await expectByIndex(60_000, () => maintenance.repair(now));
    await expectByIndex(60_000, () => maintenance.backlogs());
    await expectByIndex(60_000, () => maintenance.dropPending(1, 'why'));
  });

  test('uses by many clients are stored without reading the clients of the day for each of them', async () => {
    await app.flush();
    for (let n = 0; n < 300; n++) await app.rest('GET', '/pets/1', { headers: { 'api-client': `new ${n}` } });
    await expectByIndex(3_000, () => app.flush());
  });

  test('all statements of the resources here are checked', async () => {
    await plansOf(() => app.rest('GET', '/readyz'));
    // Statements that store uses, publish events, or delete old events and keys, do not belong to a request, and
    // webhooks are hardly ever written together.
    const storeOf = (name: string) => name.split('.')[0];
    const stores = new Set([...tried].map(storeOf));
    const untried = [...statements].filter((name) => stores.has(storeOf(name)) && !tried.has(name));
    expect(untried.sort()).toEqual([
      'events.deleteOld',
      'events.publish',
      'idempotency.forget',
      'lifecycle.addUses',
      'webhooks.deleteMany',
      'webhooks.insertMany',
      'webhooks.updateMany',
    ]);
  });
}
