import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { copyTestDatabase, databaseKind, openTestDatabase } from '../support/database.ts';
import { startProxy } from '../support/proxy.ts';
import { startService, withService } from '../support/service.ts';

const json = { 'content-type': 'application/json' };

async function send(base: string, method: string, path: string, body: object, headers: object = {}) {
  const response = await fetch(base + path, { method, headers: { ...json, ...headers }, body: JSON.stringify(body) });
  return { status: response.status, body: response.status === 204 ? undefined : await response.json() };
}

/** Creates a pet whose stock is counted, and gives its id. */
async function countedPet(base: string, quantity: number): Promise<number> {
  const category = await send(base, 'POST', '/categories', { name: 'Dogs' });
  const pet = await send(base, 'POST', '/pets', { name: 'Rex', categoryId: category.body.id });
  await send(base, 'PUT', `/store/inventory/${pet.body.id}`, { quantity });
  return pet.body.id;
}

if (databaseKind === 'server') {
  describe('a request with an Idempotency-Key', () => {
    test('whose database connection is lost is 503, and is done once when it is retried', async () => {
      const opened = await openTestDatabase();
      const service = await startService({ DATABASE_URL: opened.location.url ?? '' });
      const petId = await countedPet(service.base, 10);
      const key = { 'idempotency-key': randomUUID() };
      const order = () => send(service.base, 'POST', '/store/orders', { petId, quantity: 2 }, key);
      let first: ReturnType<typeof order> | undefined;
      await opened.database.transaction(async (query) => {
        await query('select from inventory where pet_id = $1 for update', [`${petId}`]);
        first = order();
        const waits = "from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";
        await expect.poll(async () => (await query(`select count(*)::int ${waits}`, []))[0]?.[0]).toBe(1);
        await query(`select pg_terminate_backend(pid) ${waits}`, []);
        expect((await first).status).toBe(503);
      });
      expect((await order()).status).toBe(201);
      expect((await order()).status).toBe(201);
      const stock = await fetch(`${service.base}/store/inventory/${petId}`);
      expect(await stock.json()).toMatchObject({ quantity: 8 });
      expect(await service.stop()).toBe(0);
      await opened.dispose();
    });

    test.each([
      ['the disk is full', 'disk_full'],
      ['the database only reads', 'read_only_sql_transaction'],
    ])('is 503 when %s, also together with others whose connection the server still has', async (_, code) => {
      const opened = await openTestDatabase();
      const proxy = await startProxy(opened.location.url ?? '', { linger: 300 });
      onTestFinished(async () => {
        proxy.close();
        await opened.dispose();
      });
      await opened.database.transaction(async (query) => {
        const body = `begin raise exception 'not now' using errcode = '${code}'; end`;
        await query(`create function fail() returns trigger language plpgsql as $$ ${body} $$`, []);
        await query('create trigger failing before insert on pets for each row execute function fail()', []);
      });
      await withService({ DATABASE_URL: proxy.url }, async ({ base }) => {
        const { body: category } = await send(base, 'POST', '/categories', { name: 'Dogs' });
        const create = () => {
          const key = { 'idempotency-key': randomUUID() };
          return send(base, 'POST', '/pets', { name: 'Rex', categoryId: category.id }, key);
        };
        for (let round = 0; round < 3; round++) {
          const answers = await Promise.all(Array.from({ length: 10 }, create));
          expect(answers.map(({ status, body }) => [status, body.code])).toEqual(
            answers.map(() => [503, 'UNAVAILABLE']),
          );
        }
      });
    });
  });

  describe('a database that stalls longer than the request timeout', () => {
    test('mixes up no responses, and loses no connection for good', async () => {
      const opened = await openTestDatabase();
      const proxy = await startProxy(opened.location.url ?? '');
      const service = await startService({ DATABASE_URL: proxy.url, REQUEST_TIMEOUT: '1' });
      const category = await send(service.base, 'POST', '/categories', { name: 'Dogs' });
      const names = Array.from({ length: 40 }, (_, n) => `pet ${n}`);
      const pets = await Promise.all(
        names.map(async (name) => {
          const { body } = await send(service.base, 'POST', '/pets', { name, categoryId: category.body.id });
          return body.id as number;
        }),
      );
      const seen = new Map<number, number>();
      const read = async (n: number) => {
        const response = await fetch(`${service.base}/pets/${pets[n]}`);
        const body = (await response.json()) as { name?: string };
        seen.set(response.status, (seen.get(response.status) ?? 0) + 1);
        if (response.status === 200) expect(body.name).toBe(names[n]);
        else expect([503, 504]).toContain(response.status);
      };
      const write = async (n: number) => {
        const name = `late ${n}`;
        const { status, body } = await send(service.base, 'POST', '/pets', { name, categoryId: category.body.id });
        if (status === 201) expect(body.name).toBe(name);
        else expect([503, 504]).toContain(status);
      };
      for (let round = 0; round < 3; round++) {
        proxy.freeze();
        const asked: Promise<void>[] = [];
        for (let n = 0; n < 40; n++) {
          asked.push(read(n), write(n));
          await sleep(40);
          if (n === 30) proxy.thaw();
        }
        await Promise.all(asked);
      }
      expect(seen.get(504)).toBeGreaterThan(0);
      const all = async () => Promise.all(names.map((_, n) => fetch(`${service.base}/pets/${pets[n]}`)));
      await expect
        .poll(async () => new Set((await all()).map(({ status }) => status)), { timeout: 5_000 })
        .toEqual(new Set([200]));
      await Promise.all(names.map((_, n) => read(n)));
      expect(await service.stop()).toBe(0);
      proxy.close();
      await opened.dispose();
    });
  });
}

test('a request that is sent many times at once, to several processes on a server, is done once', async () => {
  const copy = await copyTestDatabase();
  const { url, folder } = copy.location;
  const [one, other] =
    url === undefined
      ? [await startService({ DATA_DIR: folder })]
      : [await startService({ DATABASE_URL: url }), await startService({ DATABASE_URL: url })];
  const petId = await countedPet(one.base, 1_000);
  for (let round = 0; round < 10; round++) {
    const key = { 'idempotency-key': randomUUID() };
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) => {
        const { base } = n % 2 === 0 ? one : (other ?? one);
        return send(base, 'POST', '/store/orders', { petId }, key);
      }),
    );
    expect(new Set(answers.map(({ status }) => status)).size).toBeLessThanOrEqual(2);
    expect(answers.filter(({ status }) => status === 201).length).toBeGreaterThan(0);
  }
  const stock = await fetch(`${one.base}/store/inventory/${petId}`);
  expect(await stock.json()).toMatchObject({ quantity: 990 });
  expect(await one.stop()).toBe(0);
  await other?.stop();
  await copy.dispose();
});
