import { once } from 'node:events';
import { chmodSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase } from '../../src/engine/db/client.ts';
import { CONNECTIONS } from '../../src/engine/db/lanes.ts';
import { lockFolder } from '../../src/engine/db/lock.ts';
import { connectServer } from '../../src/engine/db/server.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { copyTestDatabase, databaseKind, openTestDatabase } from '../support/database.ts';
import { startProxy } from '../support/proxy.ts';
import { settingsFor, startService } from '../support/service.ts';
import { makeTemporaryFolder } from '../support/temporary.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.dispose());

/** Runs the work with the rights of a user that owns no files, because root may write everywhere. */
async function asUnprivilegedUser<T>(work: () => Promise<T>): Promise<T> {
  const NOBODY = 65_534;
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.(NOBODY);
  try {
    return await work();
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
}

async function newPets(names: readonly string[]): Promise<number[]> {
  const { body: category } = await app.rest('POST', '/categories', { body: { name: 'Any' } });
  const ids: number[] = [];
  for (const name of names) {
    ids.push((await app.rest('POST', '/pets', { body: { name, categoryId: category.id } })).body.id);
  }
  return ids;
}

describe('reads by key', () => {
  test('that arrive together are one statement, and each gets its own row', async () => {
    const ids = await newPets(['Rex', 'Max', 'Leo']);
    app.statements.length = 0;
    const answers = await Promise.all([...ids, 999_999_999].map((id) => app.rest('GET', `/pets/${id}`)));
    expect(answers.map(({ status, body }) => [status, body.name])).toEqual([
      [200, 'Rex'],
      [200, 'Max'],
      [200, 'Leo'],
      [404, undefined],
    ]);
    expect(app.statements).toEqual(['pets.byKeys']);
  });

  test('see everything that was written before they started', async () => {
    const [id] = await newPets(['Rex']);
    await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const other = app.rest('GET', `/pets/${id}`);
        const { body: made } = await app.rest('POST', '/categories', { body: { name: `Category ${index}` } });
        expect((await app.rest('GET', `/categories/${made.id}`)).body.name).toBe(`Category ${index}`);
        await other;
      }),
    );
  });
});

test('a full disk is a temporary error, on both databases', async () => {
  const full = "do $$ begin raise exception 'could not extend file' using errcode = 'disk_full'; end $$";
  await expect(app.database.transaction((query) => query(full, []))).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    headers: { 'retry-after': '1' },
  });
});

test('a table that differs from the migrations stops the start; the message says what is missing and what to run', async () => {
  const { database, location, dispose } = await openTestDatabase();
  await database.transaction((query) => query('alter table pets rename column name to title', []));
  await database.transaction((query) => query('drop table idempotency_keys', []));
  await database.close();
  await expect(startService(settingsFor(location))).rejects.toThrow(
    /no migration in drizzle\/ creates: (?=.*\bpets\.name\b)(?=.*\bidempotency_keys\.\w+).*\. Create it with: npm run db:generate -- --name/,
  );
  await dispose();
});

test('where MIGRATE is off, a database without its migrations stops the start, and is left unchanged', async () => {
  const { database, location, dispose } = await openTestDatabase();
  await database.transaction((query) => query('delete from drizzle.__drizzle_migrations', []));
  await database.close();
  const starting = startService({ ...settingsFor(location), MIGRATE: 'off' });
  await expect(starting).rejects.toThrow(
    /\d+ migrations? (is|are) not applied, and MIGRATE is off: run npm run db:migrate/,
  );
  await dispose();
});

test('where MIGRATE is off, a database with all migrations is served, and no change is attempted', async () => {
  const { location, dispose } = await copyTestDatabase();
  const service = await startService({ ...settingsFor(location), MIGRATE: 'off' });
  expect((await fetch(`${service.base}/readyz`)).status).toBe(200);
  await service.stop();
  await dispose();
});

if (databaseKind === 'embedded') {
  describe('a folder that cannot hold the embedded database', () => {
    test('because it contains other files: the start says so, and changes nothing', async () => {
      const folder = makeTemporaryFolder();
      writeFileSync(join(folder.path, 'thesis.txt'), 'Mine.');
      await expect(startService({ DATA_DIR: folder.path })).rejects.toThrow(
        `The folder ${folder.path} contains other files (thesis.txt); set DATA_DIR to an empty folder.`,
      );
      expect(readdirSync(folder.path)).toEqual(['thesis.txt']);
      rmSync(join(folder.path, 'thesis.txt'));
      mkdirSync(join(folder.path, 'pgdata'));
      writeFileSync(join(folder.path, 'pgdata', 'thesis.txt'), 'Mine.');
      await expect(startService({ DATA_DIR: folder.path })).rejects.toThrow('contains other files (thesis.txt)');
      folder.remove();
    });

    test('because it is not writable: the start says so in one line', async () => {
      const folder = makeTemporaryFolder();
      chmodSync(folder.path, 0o555);
      const opening = asUnprivilegedUser(() => openDatabase({ url: undefined, folder: folder.path, timeout: 10_000 }));
      await expect(opening).rejects.toThrow(
        `The folder ${folder.path} for the embedded database cannot be written (EACCES); set DATA_DIR to one that can.`,
      );
      const within = asUnprivilegedUser(() =>
        openDatabase({ url: undefined, folder: `${folder.path}/new`, timeout: 10_000 }),
      );
      await expect(within).rejects.toThrow('cannot be made (EACCES); set DATA_DIR to one that can.');
      folder.remove();
    });
  });

  describe('the lock of the embedded database', () => {
    test('is held by one process, and released', async () => {
      const folder = makeTemporaryFolder();
      const unlock = await lockFolder(folder.path);
      await expect(lockFolder(folder.path)).rejects.toThrow(`in use by process ${process.pid} on `);
      await unlock();
      await (await lockFolder(folder.path))();
      folder.remove();
    });

    test('of a killed process is taken over', async () => {
      const { location, dispose } = await copyTestDatabase();
      const service = await startService(settingsFor(location));
      await service.stop('SIGKILL');
      const next = await startService(settingsFor(location));
      expect(await next.stop()).toBe(0);
      await dispose();
    });
  });
} else {
  describe('a server database that fails', () => {
    test('by closing idle connections: reads succeed all the same', async () => {
      const [id] = await newPets(['Rex']);
      const readEverything = () =>
        Promise.all(
          [`/pets/${id}`, '/pets', '/categories', '/store/orders', '/store/inventory'].map((path) =>
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
      const service = await startService({ DATABASE_URL: proxy.url });
      const statuses = async (count: number) => {
        const answers = Array.from({ length: count }, async () => (await fetch(`${service.base}/pets/1`)).status);
        return new Set(await Promise.all(answers));
      };
      proxy.stop();
      for (let round = 0; round < 6; round++) expect(await statuses(20)).toEqual(new Set([503]));
      await proxy.start();
      await expect.poll(() => statuses(20), { timeout: 1_000 }).toEqual(new Set([404]));
      expect(await service.stop()).toBe(0);
      proxy.close();
      await opened.dispose();
    });

    test('by accepting connections and closing them: a statement is tried once, and fails at once', async () => {
      const opened = await openTestDatabase();
      const proxy = await startProxy(opened.location.url ?? '');
      const driver = await connectServer(proxy.url, 4_000);
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
      await sleep(1_600);
      const inTime = Promise.all(words('third').map(ask));
      await sleep(2_600);
      proxy.thaw();
      await Promise.all([...late, inTime]);
      await Promise.all(words('after').map(ask));
      await driver.close();
      proxy.close();
      await opened.dispose();
    });

    test('by having no free connection: a transaction does not start once its request has ended', async () => {
      const opened = await openTestDatabase();
      const driver = await connectServer(opened.location.url ?? '', 10_000, { ...CONNECTIONS, transaction: 1 });
      let finish = () => {};
      const held = driver.transaction(() => new Promise<void>((resolve) => (finish = resolve)), undefined);
      let hasBegun = false;
      const asked = performance.now();
      const late = driver.transaction(async () => {
        hasBegun = true;
      }, asked + 300);
      await expect(late).rejects.toMatchObject({ code: 'UNAVAILABLE' });
      expect(performance.now() - asked).toBeLessThan(5_000);
      finish();
      await held;
      expect(hasBegun).toBe(false);
      await driver.close();
      await opened.dispose();
    });

    test('by a held lock: a statement whose request has ended is cancelled, and changes nothing later', async () => {
      const opened = await openTestDatabase();
      const service = await startService({ DATABASE_URL: opened.location.url ?? '', REQUEST_TIMEOUT: '3' });
      const send = (method: string, path: string, body: object) =>
        fetch(service.base + path, {
          method,
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        });
      const { id: categoryId } = (await (await send('POST', '/categories', { name: 'Any' })).json()) as { id: number };
      const { id } = (await (await send('POST', '/pets', { name: 'As it was', categoryId })).json()) as { id: number };
      await opened.database.transaction(async (query) => {
        await query('select from pets where id = $1 for update', [id]);
        // More than there are connections, so that some start late.
        const late = Array.from(
          { length: 25 },
          async (_, n) => (await send('PATCH', `/pets/${id}`, { name: `Late ${n}` })).status,
        );
        for (const status of await Promise.all(late)) expect([503, 504]).toContain(status);
        const atWork = () =>
          opened.database.transaction((looking) =>
            looking(
              `select query from pg_stat_activity where datname = current_database() and state = 'active' and query like 'update "pets"%'`,
              [],
            ),
          );
        // Without cancellation, those that started late would run for almost 3 s more.
        await expect.poll(atWork, { timeout: 1_500 }).toEqual([]);
      });
      await sleep(200);
      expect(await (await fetch(`${service.base}/pets/${id}`)).json()).toMatchObject({ name: 'As it was' });
      expect(await service.stop()).toBe(0);
      await opened.dispose();
    });

    test('by locked rows: requests that need them are 503 within seconds, and no other request waits for them', async () => {
      const opened = await openTestDatabase();
      const service = await startService({ DATABASE_URL: opened.location.url ?? '' });
      const send = async (method: string, path: string, body: object) => {
        const headers = { 'content-type': 'application/json' };
        const began = performance.now();
        const response = await fetch(service.base + path, { method, headers, body: JSON.stringify(body) });
        const { id, code } = (await response.json()) as { id?: number; code?: string };
        const retryAfter = response.headers.get('retry-after');
        return { id, code, status: response.status, retryAfter, took: performance.now() - began };
      };
      const { id: categoryId } = await send('POST', '/categories', { name: 'Any' });
      const ids = await Promise.all(
        Array.from({ length: 31 }, async () => (await send('POST', '/pets', { name: 'Rex', categoryId })).id),
      );
      const free = ids.pop();
      for (const petId of ids) await send('PUT', `/store/inventory/${petId}`, { quantity: 5 });
      await opened.database.transaction(async (query) => {
        await query('select from pets where id <> $1 for update', [`${free}`]);
        await query('select from inventory for update', []);
        // Several for each row, and more than there are connections.
        const late = ids.flatMap((petId) => [
          send('PATCH', `/pets/${petId}`, { name: 'Late' }),
          send('POST', '/store/orders', { petId }),
        ]);
        await sleep(300);
        for (let n = 0; n < 5; n++) {
          for (const answer of await Promise.all([
            send('PATCH', `/pets/${free}`, { name: `Max ${n}` }),
            send('POST', '/pets', { name: 'Leo', categoryId }),
            send('POST', '/store/orders', { petId: free }),
          ])) {
            // A request for a locked row is 503 after a second; on a busy machine the others queue for a while too.
            expect([answer.status < 300, answer.took < 2_500]).toEqual([true, true]);
          }
          expect((await fetch(`${service.base}/pets/${free}`)).status).toBe(200);
        }
        for (const { status, code, retryAfter, took } of await Promise.all(late)) {
          expect([status, code, retryAfter]).toEqual([503, 'UNAVAILABLE', '1']);
          expect(took).toBeLessThan(5_000);
        }
      });
      expect((await send('PATCH', `/pets/${ids[0]}`, { name: 'Then' })).status).toBe(200);
      expect(await service.stop()).toBe(0);
      await opened.dispose();
    });

    test('by a locked row: the connections stay open', async () => {
      const opened = await openTestDatabase();
      const driver = await connectServer(opened.location.url ?? '', 10_000, {
        ...CONNECTIONS,
        write: 1,
        waitingWrite: 1,
      });
      const pidOf = async () => (await driver.query('select pg_backend_pid()', [], 'write'))[0]?.[0];
      await driver.query("insert into categories (name) values ('Any')", [], 'write');
      const pid = await pidOf();
      await opened.database.transaction(async (query) => {
        await query('select from categories for update', []);
        for (let n = 0; n < 2; n++) {
          const late = driver.query("update categories set name = 'Late'", [], 'write');
          await expect(late).rejects.toMatchObject({ code: 'UNAVAILABLE', headers: { 'retry-after': '1' } });
        }
      });
      expect(await pidOf()).toBe(pid);
      await driver.query("update categories set name = 'Then'", [], 'write');
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
      const service = await startService({ DATABASE_URL: proxy.url });
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
      expect(await service.stop()).toBe(0);
      proxy.close();
      await opened.dispose();
    });
  });
}
