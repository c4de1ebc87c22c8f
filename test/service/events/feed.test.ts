import { describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { assertFits, openApi } from '../../support/contract.ts';
import { eventsOf } from '../../support/feed.ts';
import { app, newCategory, newPet, serveEvents, summaryOf } from './rows.ts';

serveEvents();

describe('GET /events', () => {
  test('has a change as a CloudEvent, with the row in the form that REST has', async () => {
    const categoryId = await newCategory();
    const [event, ...others] = await eventsOf(app, () =>
      app.rest('POST', '/pets', { body: { name: 'Rex', categoryId } }),
    );
    expect(others).toEqual([]);
    const { id } = event.data;
    expect(event).toEqual({
      specversion: '1.0',
      id: expect.stringMatching(/^1\.\d+$/),
      source: '/pet-store',
      type: 'pet.created',
      subject: `pets/${id}`,
      time: expect.stringMatching(/^20.*Z$/),
      datacontenttype: 'application/json',
      correlationid: expect.stringMatching(/^[\w-]{36}$/),
      data: (await app.rest('GET', `/pets/${id}`)).body,
    });
  });

  test('has an order that sells a pet out as three events of one time, causes before effects', async () => {
    const pet = await newPet(1);
    const events = await eventsOf(app, () => app.rest('POST', '/store/orders', { body: { petId: pet } }));
    expect(events.map(({ type }: { type: string }) => type)).toEqual([
      'order.placed',
      'inventory.changed',
      'pet.updated',
    ]);
    expect(new Set(events.map(({ time }: { time: string }) => time)).size).toBe(1);
    expect(events[1].data).toEqual({ petId: pet, quantity: 0, status: 'pending' });
    expect(events[2].data.status).toBe('pending');
  });

  test('has its rows described so that clients which take the first schema that fits do not lose fields', async () => {
    const { anyOf } = openApi.components.schemas.EventData as { anyOf: readonly { $ref: string }[] };
    const firstFor = (row: unknown) =>
      anyOf.find(({ $ref }) => {
        try {
          assertFits({ $ref }, row, 'an event');
          return true;
        } catch {
          return false;
        }
      })?.$ref;
    const events = await eventsOf(app, async () => {
      await app.rest('POST', '/store/orders', { body: { petId: await newPet(2) } });
    });
    expect(
      events.map(({ type, data }: { type: string; data: unknown }) => [type, firstFor(data)?.split('/').at(-1)]),
    ).toEqual([
      ['category.created', 'Category'],
      ['pet.created', 'Pet'],
      ['inventory.counted', 'InventoryItem'],
      ['order.placed', 'Order'],
      ['inventory.changed', 'InventoryItem'],
    ]);
  });

  test('has a type for everything that happens to an order', async () => {
    const pet = await newPet();
    const events = await eventsOf(app, async () => {
      const { body: one } = await app.rest('POST', '/store/orders', { body: { petId: pet } });
      await app.rest('PATCH', `/store/orders/${one.id}`, { body: { quantity: 2 } });
      await app.rest('PATCH', `/store/orders/${one.id}`, { body: { complete: true } });
      const { body: other } = await app.rest('POST', '/store/orders', { body: { shipDate: '2026-12-01T08:00:00Z' } });
      await app.rest('DELETE', `/store/orders/${other.id}`);
    });
    expect(events.map(({ type }: { type: string }) => type)).toEqual([
      'order.placed',
      'order.updated',
      'order.completed',
      'order.placed',
      'order.cancelled',
    ]);
    expect(events.at(-1).data).toEqual(events.at(-2).data);
    expect(events.at(-1).data).toMatchObject({ shipDate: '2026-12-01T08:00:00.000Z', complete: false });
  });

  test('has a type for everything that happens to the stock of a pet', async () => {
    const pet = await newPet();
    const count = (quantity: number) => app.rest('PUT', `/store/inventory/${pet}`, { body: { quantity } });
    const events = await eventsOf(app, async () => {
      await count(3);
      await count(4);
      await count(4);
      await app.rest('DELETE', `/store/inventory/${pet}`);
      await count(5);
    });
    expect(events.map(({ type, data }: { type: string; data: { quantity: number } }) => [type, data.quantity])).toEqual(
      [
        ['inventory.counted', 3],
        ['inventory.changed', 4],
        ['inventory.stopped', 4],
        ['inventory.counted', 5],
      ],
    );
  });

  test('has nothing of a change that changes nothing, or that is rejected', async () => {
    const pet = await newPet(1);
    const events = await eventsOf(app, async () => {
      await app.rest('PATCH', `/pets/${pet}`, { body: { name: 'Rex' } });
      await app.rest('PATCH', `/pets/${pet}`, { body: { name: 'Max' }, headers: { 'if-match': '"99"' } });
      await app.rest('POST', '/store/orders', { body: { petId: pet, quantity: 2 } });
      await app.rest('DELETE', `/categories/${(await app.rest('GET', `/pets/${pet}`)).body.categoryId}`);
      await app.rest('PATCH', `/pets/${pet}`, { body: { name: 'Last' } });
    });
    expect(summaryOf(events)).toEqual([`pet.updated pets/${pet}`]);
  });

  test('has the deletion of a pet once, with the pet as it was', async () => {
    const pet = await newPet(3);
    const { body } = await app.rest('GET', `/pets/${pet}`);
    const events = await eventsOf(app, () => app.rest('DELETE', `/pets/${pet}`));
    expect(summaryOf(events)).toEqual([`pet.deleted pets/${pet}`]);
    expect(events[0].data).toEqual(body);
  });

  test('has changes that are made in SQL', async () => {
    const pet = await newPet(3);
    const events = await eventsOf(app, async () => {
      await app.database.transaction(async (query) => {
        await query("update pets set name = name || '!', version = version + 1 where id = $1", [pet]);
        await query('update inventory set quantity = 7, version = version + 1 where pet_id = $1', [pet]);
      });
    });
    // The clock of the embedded database may have one time for both statements.
    expect(summaryOf(events).sort()).toEqual([`inventory.changed inventory/${pet}`, `pet.updated pets/${pet}`]);
  });

  test.each([
    ['Asia/Kolkata', '9999-12-31T23:59:59.999Z'],
    ['Asia/Kolkata', '1899-12-31T00:00:00.000Z'],
    ['America/New_York', '0001-01-01T00:00:00.000Z'],
  ])('has an order that is changed in SQL in the time zone %s, with the ship date %s', async (zone, shipDate) => {
    const { body } = await app.rest('POST', '/store/orders', { body: { shipDate } });
    const changed = await eventsOf(app, () =>
      app.database.transaction(async (query) => {
        await query(`set local time zone '${zone}'`, []);
        await query('update orders set quantity = 2, version = version + 1 where id = $1', [body.id]);
      }),
    );
    expect(changed.map(({ data }: { data: unknown }) => data)).toEqual([{ ...body, quantity: 2 }]);
  });

  test('has a keyed request once, however often it is sent', async () => {
    const categoryId = await newCategory();
    const send = () =>
      app.rest('POST', '/pets', { body: { name: 'Rex', categoryId }, headers: { 'idempotency-key': 'an-event' } });
    const events = await eventsOf(app, () => Promise.all([send(), send()]).then(send));
    expect(events).toHaveLength(1);
  });

  test('has exact ids, also beyond 2^53', async () => {
    const id = 9_007_199_254_740_993n;
    await app.database.transaction((query) =>
      query("insert into categories (id, name) values ($1, 'Big')", [id.toString()]),
    );
    const { body } = await app.rest('GET', `/events?subject=categories/${id}&wait=2`);
    expect(body[0].data.id).toBe(id);
  });
});

test('a response that the client does not accept is 406, which names both media types', async () => {
  const { status, body } = await app.rest('GET', '/events', { headers: { accept: 'text/csv' } });
  const message = 'Responses are application/json or text/event-stream, which the Accept field excludes.';
  expect([status, body.message]).toEqual([406, message]);
});

test('with EVENTS=off there is no feed, no link to it, and nothing for a webhook', async () => {
  const off = await startTestApp({ EVENTS: 'off' });
  try {
    const url = 'https://shop.example/hooks';
    for (const { status, body } of [
      await off.rest('GET', '/events'),
      await off.rest('GET', '/events?after=now'),
      await off.rest('POST', '/webhooks', { body: { url } }),
    ])
      expect([status, body.message]).toEqual([404, 'This service records no events.']);
    const home = (service: TestApp) => service.fetch(new Request('http://pets.example/')).then((page) => page.text());
    expect(await home(app)).toContain('href="/events?limit=5"');
    expect(await home(off)).not.toContain('/events');
  } finally {
    await off.dispose();
  }
});
