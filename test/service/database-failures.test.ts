import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CONNECTIONS } from '../../src/engine/db/pool-kinds.ts';
import { connectServer } from '../../src/engine/db/server.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { databaseKind, openTestDatabase } from '../support/database.ts';
import { startProxy } from '../support/proxy.ts';
import { serveHere } from '../support/serve-here.ts';
import { startService } from '../support/service.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.dispose());

test('a full disk is a temporary error, on both databases', async () => {
  const full = "do $$ begin raise exception 'could not extend file' using errcode = 'disk_full'; end $$";
  await expect(app.database.transaction((query) => query(full, []))).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    headers: { 'retry-after': '1' },
  });
});

if (databaseKind === 'server') {
  describe('a server database that fails', () => {
    test('by closing idle connections: reads succeed all the same', async () => {
      const { body: category } = await app.rest('POST', '/categories', { body: { name: 'Any' } });
      const { body: pet } = await app.rest('POST', '/pets', { body: { name: 'Rex', categoryId: category.id } });
      const readEverything = () =>
        Promise.all(
          [`/pets/${pet.id}`, '/pets', '/categories', '/store/orders', '/store/inventory'].map((path) =>
            app.rest('GET', path),
          ),
        );
      await readEverything();
      await app.database.transaction((query) =>
        query(
          'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
          [],
        ),
      );
      expect((await readEverything()).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    });

    test('by going away: requests fail at once, and succeed within a second of its return', async () => {
      const opened = await openTestDatabase();
      const proxy = await startProxy(opened.location.url ?? '');
      const service = await serveHere({ DATABASE_URL: proxy.url });
      const statuses = async (count: number) => {
        const answers = Array.from({ length: count }, async () => (await fetch(`${service.base}/pets/1`)).status);
        return new Set(await Promise.all(answers));
      };
      proxy.stop();
      for (let round = 0; round < 6; round++) expect(await statuses(20)).toEqual(new Set([503]));
      await proxy.start();
      await expect.poll(() => statuses(20), { timeout: 1_000 }).toEqual(new Set([404]));
      await service.stop({ isReplaced: false });
      proxy.close();
      await opened.dispose();
    });

    test('by being away when the service stops: it stops all the same, and reports success', async () => {
      const opened = await openTestDatabase();
      const proxy = await startProxy(opened.location.url ?? '');
      const service = await startService({ DATABASE_URL: proxy.url });
      expect((await fetch(`${service.base}/pets/1`)).status).toBe(404);
      proxy.stop();
      expect(await service.stop()).toBe(0);
      proxy.close();
      await opened.dispose();
    });

    test('by accepting connections and closing them: a statement is tried once, and fails at once', async () => {
      const opened = await openTestDatabase();
      const proxy = await startProxy(opened.location.url ?? '');
      const driver = await connectServer(proxy.url, 4_000, CONNECTIONS);
      let connections = 0;
      const closing = createServer((socket) => {
        connections++;
        socket.end();
      }).listen(0, '127.0.0.1');
      await once(closing, 'listening');
      proxy.switchTo(`postgres://127.0.0.1:${(closing.address() as AddressInfo).port}`);
      const began = performance.now();
      for (let n = 0; n < 5; n++) {
        await expect(driver.query('insert into nothing values (1)', [], 'write')).rejects.toMatchObject({
          code: 'UNAVAILABLE',
        });
      }
      expect(performance.now() - began).toBeLessThan(2_000);
      expect(connections).toBeLessThan(10);
      proxy.switchTo(opened.location.url ?? '');
      await expect.poll(() => driver.query('select 1', [], 'lookup'), { timeout: 1_000 }).toEqual([[1]]);
      await driver.close();
      proxy.close();
      closing.close();
      await opened.dispose();
    });

    test('by stalling longer than the statement timeout: each later statement gets its own result', async () => {
      const opened = await openTestDatabase();
      const proxy = await startProxy(opened.location.url ?? '');
      const driver = await connectServer(proxy.url, 4_000, { ...CONNECTIONS, lookup: 10 });
      const ask = async (word: string) =>
        expect((await driver.query('select $1::text', [word], 'lookup'))[0]).toEqual([word]);
      const words = (of: string) => Array.from({ length: 10 }, (_, n) => `${of} ${n}`);
      await Promise.all(words('before').map(ask));
      proxy.freeze();
      const late = [...words('first'), ...words('second')].map((word) => expect(ask(word)).rejects.toThrow());
      await sleep(2_400);
      const inTime = Promise.all(words('third').map(ask));
      await sleep(1_800);
      proxy.thaw();
      await Promise.all([...late, inTime]);
      await Promise.all(words('after').map(ask));
      await driver.close();
      proxy.close();
      await opened.dispose();
    });

    test('by having no free connection: a change that would have little time left is not sent', async () => {
      const opened = await openTestDatabase();
      const driver = await connectServer(opened.location.url ?? '', 2_000, { ...CONNECTIONS, write: 1 });
      const held = driver.query('select pg_sleep(1.4)', [], 'write');
      const late = driver.query("insert into categories (name) values ('Late')", [], 'write');
      await expect(late).rejects.toMatchObject({ code: 'UNAVAILABLE', headers: { 'retry-after': '1' } });
      await held;
      expect(await driver.query('select from categories', [], 'write')).toEqual([]);
      await driver.close();
      await opened.dispose();
    });

    test('by having no free connection: a transaction does not start once its request has ended', async () => {
      const opened = await openTestDatabase();
      const driver = await connectServer(opened.location.url ?? '', 10_000, { ...CONNECTIONS, transaction: 1 });
      let finish = () => {};
      const held = driver.transaction(() => new Promise<void>((resolve) => (finish = resolve)), undefined);
      let hasBegun = false;
      const asked = performance.now();
      const late = driver.transaction(
        async () => {
          hasBegun = true;
        },
        { until: asked + 300, latest: asked + 300 },
      );
      await expect(late).rejects.toMatchObject({ code: 'UNAVAILABLE' });
      expect(performance.now() - asked).toBeLessThan(5_000);
      finish();
      await held;
      expect(hasBegun).toBe(false);
      await driver.close();
      await opened.dispose();
    });

    test('never by the memory of prepared statements: a connection that has prepared many is replaced', async () => {
      const opened = await openTestDatabase();
      const driver = await connectServer(opened.location.url ?? '', 10_000, { ...CONNECTIONS, list: 1 });
      const pids = new Set<unknown>();
      for (let n = 0; n < 250; n++) {
        const [[pid, prepared] = []] = await driver.query(
          `select pg_backend_pid(), (select count(*)::int from pg_prepared_statements), ${n}`,
          [],
          'list',
        );
        pids.add(pid);
        expect(prepared).toBeLessThanOrEqual(100);
      }
      expect(pids.size).toBe(3);
      await driver.close();
      await opened.dispose();
    });

    test('by hanging: /readyz reports it in time, /livez stays 200, and the service recovers by itself', async () => {
      const opened = await openTestDatabase();
      const proxy = await startProxy(opened.location.url ?? '');
      const service = await serveHere({ DATABASE_URL: proxy.url });
      const status = async (path: string) => (await fetch(service.base + path)).status;
      expect(await status('/readyz')).toBe(200);
      proxy.freeze();
      const began = performance.now();
      const unready = await fetch(`${service.base}/readyz`);
      expect([unready.status, unready.headers.get('retry-after'), await unready.json()]).toEqual([
        503,
        '1',
        { code: 'UNAVAILABLE', message: 'The database does not answer.', status: 503 },
      ]);
      expect(performance.now() - began).toBeLessThan(5_000);
      expect(await status('/livez')).toBe(200);
      proxy.thaw();
      await expect.poll(() => status('/readyz')).toBe(200);
      await service.stop({ isReplaced: false });
      proxy.close();
      await opened.dispose();
    });
  });
}
