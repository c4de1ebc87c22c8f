import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { eventSourcesOf } from '../../src/engine/application.ts';
import { type Database, openDatabase } from '../../src/engine/db/client.ts';
import { installEvents } from '../../src/engine/events/install.ts';
import { petStoreService } from '../../src/petstore/service.ts';
import { addressOf, administer, rowsOf } from '../support/admin.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { copyTestDatabase, type DatabaseCopy, databaseKind, openTestDatabase } from '../support/database.ts';
import { serveHere, withServiceHere } from '../support/serve-here.ts';
import { settingsFor, withService } from '../support/service.ts';
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

test('EVENTS=off drops the triggers of events, and none of another application', async () => {
  const { database, dispose } = await openTestDatabase();
  onTestFinished(dispose);
  const triggers = () =>
    database.transaction((query) =>
      query("select tgname::text from pg_trigger where tgname like '%\\_events\\_%' order by 1", []),
    );
  await database.transaction(async (query) => {
    await query('create table customers ()', []);
    await query("create function greet() returns trigger language plpgsql as 'begin return null; end'", []);
    for (const event of ['delete', 'insert', 'update'])
      await query(`create trigger customers_events_${event} after ${event} on customers execute function greet()`, []);
  });
  expect(await triggers()).toContainEqual(['pets_events_insert']);
  await installEvents(database, eventSourcesOf(petStoreService), 'off');
  expect(await triggers()).toEqual([
    ['customers_events_delete'],
    ['customers_events_insert'],
    ['customers_events_update'],
  ]);
});

// The embedded database runs one transaction at a time, and is never read-only.
if (databaseKind === 'server') {
  test('where MIGRATE is off, a read-only database is served, and what the start stores is stored later', async () => {
    const { location, dispose } = await copyTestDatabase();
    onTestFinished(dispose);
    const url = location.url as string;
    const name = new URL(url).pathname.slice(1);
    const other = addressOf(url, 'postgres');
    await administer(other, `alter database ${name} set default_transaction_read_only = on`);
    await withServiceHere({ ...settingsFor(location), MIGRATE: 'off' }, async ({ base, output }) => {
      const counted = () => rowsOf(url, 'select 1 from lifecycle_counting limit 1');
      expect((await fetch(`${base}/pets`)).status).toBe(200);
      expect(output()).toContain('lifecycle uses could not be stored yet');
      expect(output()).not.toContain('another version');
      expect(await counted()).toEqual([]);
      await administer(other, `alter database ${name} set default_transaction_read_only = off`);
      await administer(other, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
      await expect.poll(counted, { timeout: 15_000, interval: 500 }).toHaveLength(1);
    });
  });

  test('where transactions are serializable by default, changes of a row at the same time all succeed', async () => {
    const { location, dispose } = await copyTestDatabase();
    const { url = '' } = location;
    await administer(
      url,
      `alter database "${new URL(url).pathname.slice(1)}" set default_transaction_isolation = serializable`,
    );
    const send = async (base: string, path: string, body: unknown) => {
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(base + path, { method: 'POST', headers, body: JSON.stringify(body) });
      return { status: answer.status, body: await answer.json() };
    };
    // A single one sends the orders of a pet one after another.
    await withServiceHere(settingsFor(location), async ({ base }) =>
      withServiceHere(settingsFor(location), async ({ base: other }) => {
        const { body: category } = await send(base, '/categories', { name: 'Any' });
        const { body: pet } = await send(base, '/pets', { name: 'Rex', categoryId: category.id });
        for (let round = 0; round < 5; round++) {
          const order = (to: string) => send(to, '/store/orders', { petId: pet.id, quantity: 1 });
          const statuses = (await Promise.all([base, other].map(order))).map(({ status }) => status);
          expect(statuses).toEqual([201, 201]);
        }
      }),
    );
    await dispose();
  });

  test.each([
    ['search_path', 'shop'],
    ['idle_session_timeout', "'1ms'"],
  ])('where the database sets %s to %s, the service works all the same', async (setting, value) => {
    const { location, dispose } = await copyTestDatabase();
    onTestFinished(dispose);
    const url = location.url as string;
    await administer(url, `alter database ${new URL(url).pathname.slice(1)} set ${setting} = ${value}`);
    await withServiceHere(settingsFor(location), async ({ base }) => {
      const headers = { 'content-type': 'application/json' };
      const created = await fetch(`${base}/categories`, { method: 'POST', headers, body: '{"name":"Any"}' });
      expect(created.status).toBe(201);
      expect(await (await fetch(`${base}/events?wait=5`)).json()).toMatchObject([{ type: 'category.created' }]);
    });
  });
}

if (databaseKind === 'embedded') {
  describe('a folder that cannot hold the embedded database', () => {
    test('because it contains other files: the start says so, and changes nothing', async () => {
      const folder = makeTemporaryFolder();
      const open = () => openDatabase({ url: undefined, folder: folder.path, timeout: 10_000 });
      writeFileSync(join(folder.path, 'thesis.txt'), 'Mine.');
      await expect(open()).rejects.toThrow(
        `The folder ${folder.path} contains other files (thesis.txt); set DATA_DIR to an empty folder.`,
      );
      expect(readdirSync(folder.path)).toEqual(['thesis.txt']);
      rmSync(join(folder.path, 'thesis.txt'));
      mkdirSync(join(folder.path, 'pgdata'));
      writeFileSync(join(folder.path, 'pgdata', 'thesis.txt'), 'Mine.');
      await expect(open()).rejects.toThrow('contains other files (thesis.txt)');
      folder.remove();
    });

    test('because its files cannot be written: the start says so, and the next one creates it again', async () => {
      const folder = makeTemporaryFolder();
      onTestFinished(folder.remove);
      mkdirSync(join(folder.path, 'pgdata'), { mode: 0o555 });
      chmodSync(folder.path, 0o777);
      const opening = asUnprivilegedUser(() => openDatabase({ url: undefined, folder: folder.path, timeout: 10_000 }));
      await expect(opening).rejects.toThrow(
        `The embedded database in ${folder.path} cannot be opened: its files cannot be read or written, or the disk is full.`,
      );
      // As an interrupted start leaves it.
      expect(existsSync(join(folder.path, 'pgdata.unfinished'))).toBe(true);
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

  test('an embedded database whose first start was interrupted is created again by the next start, for its user alone', async () => {
    const folder = makeTemporaryFolder();
    onTestFinished(folder.remove);
    const environment = { PORT: '0', DATA_DIR: join(folder.path, 'data') };
    const interrupted = spawn(process.execPath, ['--liftoff-only', 'dist/main.js'], { env: environment });
    const files = () => readdirSync(folder.path, { recursive: true });
    await expect.poll(files, { interval: 2, timeout: 60_000 }).toContain(join('data', 'pgdata', 'global'));
    interrupted.kill('SIGKILL');
    await once(interrupted, 'exit');
    expect(files()).toContain(join('data', 'pgdata.unfinished'));
    await withService(environment, async ({ base }) => {
      const counted = await fetch(`${base}/pets`, { headers: { prefer: 'count=exact' } });
      expect(counted.headers.get('total-count')).toBe('200');
      for (const made of [environment.DATA_DIR, join(environment.DATA_DIR, 'pgdata')]) {
        expect(statSync(made).mode & 0o077).toBe(0);
      }
    });
  });

  describe('the folder of the embedded database does not grow with each change', () => {
    let copy: DatabaseCopy;
    let database: Database;
    beforeEach(async () => {
      vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
      copy = await copyTestDatabase();
      database = await openDatabase(copy.location);
    });
    afterEach(async () => {
      await database.close();
      await copy.dispose();
      vi.useRealTimers();
    });
    const run = async (text: string) => Number((await database.driver.query(text, [], 'write'))[0]?.[0]);

    test('because the space of deleted rows is used again', async () => {
      await run('create table changes (id integer)');
      await run('insert into changes select generate_series(1, 10000)');
      await run('delete from changes');
      const size = () => run("select pg_relation_size('changes')");
      expect(await size()).toBeGreaterThan(100_000);
      await vi.waitFor(async () => {
        vi.advanceTimersByTime(60_000);
        expect(await size()).toBe(0);
      }, 10_000);
    });

    test('because the space of its log is used again', async () => {
      for (let round = 0; round < 6; round++) {
        for (let n = 0; n < 5; n++)
          await run("select pg_logical_emit_message(false, 'any', repeat('x', 16777216)) - '0/0'");
        vi.advanceTimersByTime(10_000);
      }
      expect(await run('select sum(size) from pg_ls_waldir()')).toBeLessThan(256 * 2 ** 20);
    });
  });

  test('the embedded database is closed after the lists and counts that wait for their turn', async () => {
    const { location, dispose } = await copyTestDatabase();
    onTestFinished(dispose);
    const database = await openDatabase(location);
    const kinds = ['list', 'list', 'count', 'count'] as const;
    const reads = Promise.all(kinds.map((kind) => database.driver.query('select 1', [], kind)));
    await Promise.all([database.close(), expect(reads).resolves.toHaveLength(4)]);
  });

  test('a process stops within 10 s, whatever the embedded database waits for', async () => {
    const { location, dispose } = await copyTestDatabase();
    onTestFinished(dispose);
    let database: Database | undefined;
    const examples = {
      areMissing: async () => true,
      load: async (opened: Database) => {
        database = opened;
      },
    };
    const serving = await serveHere({ DATA_DIR: location.folder }, { application: petStoreService, examples });
    void database?.transaction(() => new Promise(() => {}));
    const started = performance.now();
    await serving.stop({ isReplaced: false });
    expect(performance.now() - started).toBeLessThan(10_000);
  });
}

test('what is logged of a failure of the database has no values of its statement', async () => {
  const failing = app.database.transaction(async (query) => {
    const body = "begin raise exception 'No space left on device' using errcode = '53100'; end";
    await query(`create function pg_temp.fail(text) returns text language plpgsql as $$ ${body} $$`, []);
    return query('select pg_temp.fail($1)', ['whsec_secret']);
  });
  const error = await failing.catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'UNAVAILABLE', cause: { code: '53100' } });
  const logged = JSON.stringify(pino.stdSerializers.err((error as { cause: Error }).cause));
  expect(logged).toContain('No space left');
  expect(logged).not.toContain('whsec_secret');
});
