import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { assertFits, openApi } from '../../support/contract.ts';
import { endOfFeed, eventsOf, nextOf, published } from '../../support/feed.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
  await app.begin();
});
afterAll(async () => {
  await app.flush();
  await app.dispose();
});

const summaryOf = (events: readonly { type: string; subject: string }[]) =>
  events.map(({ type, subject }) => `${type} ${subject}`);

async function newPet(quantity?: number): Promise<number> {
  const { body } = await app.rest('POST', '/pets', { body: { name: 'Rex', categoryId: await newCategory() } });
  if (quantity !== undefined) await app.rest('PUT', `/store/inventory/${body.id}`, { body: { quantity } });
  return body.id;
}

async function newCategory(): Promise<number> {
  return (await app.rest('POST', '/categories', { body: { name: 'Dogs' } })).body.id;
}

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

  test('is walked by its links, also with filters, and each event comes once', async () => {
    const pet = await newPet(50);
    const start = await endOfFeed(app);
    for (let n = 0; n < 7; n++) await app.rest('POST', '/store/orders', { body: { petId: pet } });
    await published(app);
    const seen: string[] = [];
    let page = await app.rest('GET', `${start}&limit=2&type=order.placed`);
    for (; page.body.length > 0; page = await app.rest('GET', nextOf(page)))
      seen.push(...page.body.map(({ id }: { id: string }) => id));
    expect(new Set(seen).size).toBe(7);
    expect(seen).toHaveLength(7);
    const bySubject = await app.rest('GET', `${start}&subject=inventory/${pet}`);
    expect(bySubject.body.map(({ data }: { data: { quantity: number } }) => data.quantity)).toEqual([
      49, 48, 47, 46, 45, 44, 43,
    ]);
  });

  test('lets caches keep a full page after an event, and no other', async () => {
    for (let n = 0; n < 2; n++) await newPet();
    await published(app);
    const oldest = await app.rest('GET', '/events?limit=1');
    // The oldest events are deleted some day: then this is another page.
    expect(oldest.headers.get('cache-control')).toBe('no-cache');
    const full = await app.rest('GET', nextOf(oldest));
    expect(full.body).toHaveLength(1);
    expect(full.headers.get('cache-control')).toBe('max-age=31536000, immutable');
    const again = await app.rest('GET', nextOf(oldest), {
      headers: { 'if-none-match': full.headers.get('etag') ?? '' },
    });
    expect(again.status).toBe(304);
    expect((await app.rest('GET', '/events?after=now&limit=1')).headers.get('cache-control')).toBe('no-cache');
    expect((await app.rest('GET', await endOfFeed(app))).headers.get('cache-control')).toBe('no-cache');
  });

  test('lets no cache keep a page from now on: it is another one at the next request', async () => {
    await published(app);
    const waiting = app.rest('GET', '/events?after=now&type=category.created&wait=20&limit=1');
    await new Promise((resolve) => setTimeout(resolve, 300));
    await newCategory();
    const { body, headers } = await waiting;
    expect([body.length, headers.get('cache-control')]).toEqual([1, 'no-cache']);
  });

  test('waits for the next event, and no longer', async () => {
    await published(app);
    const started = performance.now();
    const waiting = app.rest('GET', '/events?after=now&type=category.created&wait=20');
    await new Promise((resolve) => setTimeout(resolve, 300));
    const pet = await newPet();
    expect(pet).toBeGreaterThan(0);
    expect(summaryOf((await waiting).body)).toHaveLength(1);
    expect(performance.now() - started).toBeLessThan(10_000);
    await published(app);
    expect((await app.rest('GET', '/events?after=now&wait=1')).body).toEqual([]);
  });

  test('does not wait on a page that is not the last, although it has no event of a rare type', async () => {
    const start = await endOfFeed(app);
    await app.database.transaction((query) =>
      query("insert into categories (name) select 'Dogs' from generate_series(1, 2500)", []),
    );
    await published(app);
    const started = performance.now();
    const page = await app.rest('GET', `${start}&type=order.cancelled&wait=20`);
    expect(page.body).toEqual([]);
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  test('misses no event of a rare type, even where what a page looks through ends with one', async () => {
    const start = await endOfFeed(app);
    const categories = (count: number) =>
      app.database.transaction((query) =>
        query(`insert into categories (name) select 'Dogs' from generate_series(1, ${count})`, []),
      );
    // With their categories, they are the events 1,000 and 1,012.
    await categories(998);
    const pets = [await newPet()];
    await categories(10);
    pets.push(await newPet());
    await published(app);
    const seen: string[] = [];
    let page = await app.rest('GET', `${start}&type=pet.created`);
    for (; page.body.length > 0; page = await app.rest('GET', nextOf(page))) seen.push(...summaryOf(page.body));
    expect(seen).toEqual(pets.map((id) => `pet.created pets/${id}`));
  });

  test('looks through a bounded number of events of a row for those of a rare type, and finds them by its links', async () => {
    const [pet, start] = [await newPet(), await endOfFeed(app)];
    const changes = `update pets set version = version + 1 where id = ${pet};`;
    await app.database.transaction((query) =>
      query(`do $$ begin for n in 1..1500 loop ${changes} end loop; end $$`, []),
    );
    await app.rest('DELETE', `/pets/${pet}`);
    await published(app);
    const first = await app.rest('GET', `${start}&subject=pets/${pet}&type=pet.deleted`);
    expect(first.body).toEqual([]);
    const second = await app.rest('GET', nextOf(first));
    expect(summaryOf(second.body)).toEqual([`pet.deleted pets/${pet}`]);
    const all = await app.rest('GET', `${start}&subject=pets/${pet}&type=pet.updated&limit=500`);
    expect(all.body).toHaveLength(500);
  });

  test.each([
    ['after=x', 400, /after must be the id of an event, such as 1\.204, or now/],
    ['after=7.1', 410, /issued before a backup was restored.* go on after 1\.\d+; or begin without after/],
    [
      'after=1.999999999',
      410,
      /^after=1\.999999999 cannot be continued\. It is after the last event, 1\.\d+: .*restored/,
    ],
    ['type=pet.eaten', 400, /type must be one of order\.placed, .*not "pet\.eaten"/],
    ['type=pet_created', 400, /type must be one of/],
    ['limit=501', 400, /limit must be from 1 to 500/],
    ['wait=21', 400, /wait must be from 0 to 20/],
    ['subject=', 400, /subject/],
    ['subject=pet/1', 400, /^subject must be a list \(orders, .*pets.*\), a slash and an id, such as orders\/1\.$/],
    ['subject=pets/1&wait=20&subject=pets', 400, /^subject must be a list/],
    ['subject=pets/Rex', 400, /^subject must be a list/],
    [
      'subjekt=pets/1',
      400,
      /subjekt"? is not a parameter of this operation, which accepts after, type, subject, limit, wait/,
    ],
  ])('rejects %s with %i', async (query, status, message) => {
    const { status: answered, body } = await app.rest('GET', `/events?${query}`);
    expect([answered, body.message]).toEqual([status, expect.stringMatching(message)]);
  });

  test('leaves out an event of a type that only a newer version has, and goes on after it', async () => {
    const start = await endOfFeed(app);
    await app.database.transaction((query) =>
      query(
        `with feed as (update feed set last = last + 1 returning last)
          insert into events (position, time, type, subject, data) select last, now(), 'pet.renamed', 'pets/0', '{}' from feed`,
        [],
      ),
    );
    const page = await app.rest('GET', start);
    expect([page.status, page.body, nextOf(page)]).toEqual([200, [], await endOfFeed(app)]);
  });

  test('is 410 for a place whose events are deleted, and then says where to go on', async () => {
    await newPet();
    await published(app);
    await app.database.transaction((query) =>
      query('with old as (delete from events where position <= 2 returning position) update feed set deleted = 2', []),
    );
    const { status, body } = await app.rest('GET', '/events?after=1.1');
    expect([status, body.message]).toEqual([410, expect.stringMatching(/Events after it are deleted/)]);
    const [, place] = /go on after (1\.\d+)/.exec(body.message) ?? [];
    expect((await app.rest('GET', `/events?after=${place}`)).status).toBe(200);
    expect((await app.rest('GET', '/events?limit=1')).body[0].id).toBe('1.3');
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
