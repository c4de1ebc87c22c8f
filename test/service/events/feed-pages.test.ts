import { describe, expect, test } from 'vitest';
import { endOfFeed, nextOf, published } from '../../support/feed.ts';
import { app, newCategory, newPet, serveEvents, summaryOf } from './rows.ts';

serveEvents();

describe('GET /events', () => {
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
