import { getTableName } from 'drizzle-orm';
import { PgDialect, type PgTable } from 'drizzle-orm/pg-core';
import { describe, expect, test, vi } from 'vitest';
import { eventSourcesOf } from '../../../src/engine/application.ts';
import { Database } from '../../../src/engine/db/client.ts';
import { petStoreService } from '../../../src/petstore/service.ts';
import { eventsOf } from '../../support/feed.ts';
import { app, serveEvents } from './rows.ts';

const dialect = new PgDialect();
serveEvents();

let requests = 0;

/** Sends a request with an id of its own; gives the id of the row, and that of the request. */
async function send(method: string, path: string, body?: object, headers = {}) {
  const requestId = `request-${++requests}`;
  const options = { ...(body !== undefined && { body }), headers: { 'x-request-id': requestId, ...headers } };
  const { status, body: row } = await app.rest(method, path, options);
  expect(status, `${method} ${path}`).toBeLessThan(300);
  return { id: row?.id as number, requestId };
}

const sendMany = <T>(items: readonly T[], request: (item: T, n: number) => ReturnType<typeof send>) =>
  Promise.all(items.map(request));

const numbers = Array.from({ length: 60 }, (_, n) => n);

async function newPet(): Promise<number> {
  const { id: categoryId } = await send('POST', '/categories', { name: 'Dogs' });
  return (await send('POST', '/pets', { name: 'Rex', categoryId })).id;
}

describe('an event has the id of the request that has caused it', () => {
  test('whatever the request changes', async () => {
    const expected: string[] = [];
    const causes = async (types: readonly string[], ...request: Parameters<typeof send>) => {
      const sent = await send(...request);
      expected.push(...types.map((type) => `${type} ${sent.requestId}`));
      return sent.id;
    };
    const events = await eventsOf(app, async () => {
      const category = await causes(['category.created'], 'POST', '/categories', { name: 'Dogs' });
      await causes(['category.updated'], 'PUT', `/categories/${category}`, { name: 'Big dogs' });
      const pet = await causes(['pet.created'], 'POST', '/pets', { name: 'Rex', categoryId: category });
      await causes(['pet.updated'], 'PUT', `/pets/${pet}`, { name: 'Max', categoryId: category });
      await causes(['pet.updated'], 'PATCH', `/pets/${pet}`, { name: 'Rex' });
      await causes(['inventory.counted'], 'PUT', `/store/inventory/${pet}`, { quantity: 2 });
      const sold = ['order.placed', 'inventory.changed', 'pet.updated'];
      const order = await causes(sold, 'POST', '/store/orders', { petId: pet, quantity: 2 });
      await causes(['order.updated'], 'PATCH', `/store/orders/${order}`, { shipDate: '2026-12-01T08:00:00Z' });
      const less = ['order.updated', 'inventory.changed', 'pet.updated'];
      await causes(less, 'PATCH', `/store/orders/${order}`, { quantity: 1 });
      await causes(['order.cancelled', 'inventory.changed'], 'DELETE', `/store/orders/${order}`);
      await causes(['inventory.stopped'], 'DELETE', `/store/inventory/${pet}`);
      const draft = await causes(['order.placed'], 'POST', '/store/orders', {});
      await causes(['order.completed'], 'PATCH', `/store/orders/${draft}`, { complete: true });
      await causes(['pet.deleted'], 'DELETE', `/pets/${pet}`);
      await causes(['category.deleted'], 'DELETE', `/categories/${category}`);
    });
    expect(
      events.map(({ type, correlationid }: { type: string; correlationid: string }) => `${type} ${correlationid}`),
    ).toEqual(expected);
  });

  test.each([
    ['on its own', () => ({})],
    ['with an Idempotency-Key', (n: number) => ({ 'idempotency-key': `correlated-${n}` })],
  ])('also if one statement changes rows for many requests, each %s', async (_, headersOf) => {
    const category = await send('POST', '/categories', { name: 'Dogs' });
    const fields = { name: 'Rex', categoryId: category.id };
    const pets = await sendMany(numbers, () => send('POST', '/pets', fields));
    await sendMany(pets, ({ id }) => send('PUT', `/store/inventory/${id}`, { quantity: 1 }));
    let orders: Awaited<ReturnType<typeof sendMany>> = [];
    const placed = await eventsOf(app, async () => {
      orders = await sendMany(pets, ({ id }, n) => send('POST', '/store/orders', { petId: id }, headersOf(n)));
    });
    const idOf = new Map(
      orders.flatMap(({ id, requestId }, n) => [
        [`orders/${id}`, requestId],
        [`inventory/${pets[n]?.id}`, requestId],
        [`pets/${pets[n]?.id}`, requestId],
      ]),
    );
    expect(placed).toHaveLength(3 * pets.length);
    for (const { subject, correlationid } of placed) expect(correlationid, subject).toBe(idOf.get(subject));

    const draft = await send('POST', '/store/orders', {});
    let changed: typeof orders = [];
    const changes = await eventsOf(app, async () => {
      const complete = ({ id }: { id: number }, n: number) =>
        send('PATCH', `/store/orders/${id}`, { complete: true }, headersOf(2_000 + n));
      const count = ({ id }: { id: number }, n: number) =>
        send('PUT', `/store/inventory/${id}`, { quantity: 3 }, headersOf(3_000 + n));
      changed = [...(await sendMany([draft, ...orders], complete)), ...(await sendMany(pets, count))];
    });
    const [, ...counts] = changed.slice(orders.length);
    const causeOf = new Map<string, string | undefined>([
      ...[draft, ...orders].map(({ id }, n) => [`order.completed orders/${id}`, changed[n]?.requestId] as const),
      // The last order completed makes a pet sold, and counting it makes it available.
      ...pets.flatMap(({ id }, n) => [
        [`inventory.changed inventory/${id}`, counts[n]?.requestId] as const,
        [`sold pets/${id}`, changed[n + 1]?.requestId] as const,
        [`available pets/${id}`, counts[n]?.requestId] as const,
      ]),
    ]);
    expect(changes).toHaveLength(4 * pets.length + 1);
    for (const { type, subject, correlationid, data } of changes) {
      const what = type === 'pet.updated' ? data.status : type;
      expect(correlationid, `${what} ${subject}`).toBe(causeOf.get(`${what} ${subject}`));
    }

    let created: typeof orders = [];
    const events = await eventsOf(app, async () => {
      created = await sendMany(numbers, (n) => send('POST', '/pets', fields, headersOf(1_000 + n)));
    });
    expect(events).toHaveLength(created.length);
    const byPet = new Map(created.map(({ id, requestId }) => [`pets/${id}`, requestId]));
    for (const { subject, correlationid } of events) expect(correlationid, subject).toBe(byPet.get(subject));
  });

  test('which the service has chosen if the client has not', async () => {
    let chosen: string | null = '';
    const [event] = await eventsOf(app, async () => {
      const { headers } = await app.rest('POST', '/categories', { body: { name: 'Cats' } });
      chosen = headers.get('x-request-id');
    });
    expect(event?.correlationid).toBe(chosen);
  });

  test('the same for all changes of a GraphQL document', async () => {
    const events = await eventsOf(app, () =>
      app.graphql(`mutation {
        one: createCategory(category: { name: "Birds" }) { id }
        two: createCategory(category: { name: "Fish" }) { id }
      }`),
    );
    expect(events).toHaveLength(2);
    expect(events[0]?.correlationid).toMatch(/^[\w-]{36}$/);
    expect(events[1]?.correlationid).toBe(events[0]?.correlationid);
  });

  test('and none if the change was made in the database', async () => {
    const id = await newPet();
    const [event] = await eventsOf(app, () =>
      app.database.transaction((query) =>
        query("update pets set name = 'Max', version = version + 1 where id = $1", [`${id}`]),
      ),
    );
    expect(event).toMatchObject({ type: 'pet.updated' });
    expect(event).not.toHaveProperty('correlationid');
  });
});

test('each statement of a store that changes rows with events says for which request', () => {
  const tables = eventSourcesOf(petStoreService).map(({ list }) => getTableName(list.tables[0] as PgTable));
  const writes = new RegExp(`\\b(insert into|update|delete from) "?(${tables.join('|')})"?\\b`);
  const statement = vi.spyOn(Database.prototype, 'statement');
  for (const { stores } of petStoreService.resources) stores(app.database);
  const texts = statement.mock.calls.map(([name, , query]) => [name, dialect.sqlToQuery(query.getSQL()).sql] as const);
  statement.mockRestore();
  const changing = texts.filter(([, text]) => writes.test(text));
  expect(changing.length).toBeGreaterThan(10);
  expect(changing.filter(([, text]) => !text.includes("set_config('events.request'"))).toEqual([]);
});
