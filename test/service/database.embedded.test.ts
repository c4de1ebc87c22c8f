import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Database, openDatabase } from '../../src/engine/db/client.ts';
import { petStoreService } from '../../src/petstore/service.ts';
import { copyTestDatabase, type DatabaseCopy } from '../support/database.ts';
import { serveHere } from '../support/serve-here.ts';
import { withService } from '../support/service.ts';
import { makeTemporaryFolder } from '../support/temporary.ts';

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
