import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { PGlite } from '@electric-sql/pglite';
import { KeyedQueue } from '../queue.ts';
import type { Driver, Query } from './driver.ts';
import { createSession } from './embedded-session.ts';
import { lockFolder } from './lock.ts';
import { transact } from './transact.ts';

const DATABASE_FOLDER = 'pgdata';
/** A file beside the database that exists until the database is complete. */
const UNFINISHED = 'pgdata.unfinished';
const INT8 = 20;
const TIMESTAMPTZ = 1184;
/** How often tables are vacuumed, in milliseconds: a server has a process for that. */
const VACUUM_INTERVAL = 60_000;
/** How often the size of the write-ahead log is checked, in milliseconds: a server has a process for that, too. */
const CHECK_INTERVAL = 10_000;
/** The tables that a server would vacuum or analyze with its default settings. */
const CHANGED = `select relid::regclass::text from pg_stat_user_tables join pg_class on oid = relid
  where n_dead_tup > 50 + 0.2 * reltuples or n_mod_since_analyze > 50 + 0.1 * reltuples`;
/** Whether 64 MiB of the log have been written since the last checkpoint, before which it is not needed. */
const HAS_GROWN = `select pg_current_wal_lsn() - redo_lsn > ${64 * 2 ** 20} from pg_control_checkpoint()`;
/**
 * PostgreSQL's own 128 MB, of which PGlite clears every page when it opens, take a sixth of the start. Pages that it
 * does not keep come from the cache of the system just as fast.
 */
const startParams = [...PGlite.defaultStartParams, '-c', 'shared_buffers=16MB'];
const options = { startParams, parsers: { [INT8]: String, [TIMESTAMPTZ]: String } };
/** The key of the work that has the connection: a statement, or a transaction. */
const CONNECTION = 'connection';

/**
 * Opens PostgreSQL inside this process. Makes the folder, for this user alone, if it is missing.
 *
 * @throws {Error} with a message of one line when another process uses the folder, or it is not writable or not ours
 */
export async function openEmbedded(folder: string): Promise<Driver> {
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch(unusable(folder, 'made'));
  await assertUnshared(folder);
  const unlock = await lockFolder(folder).catch(unusable(folder, 'written'));
  try {
    const database = await openOrMake(folder);
    await database.exec("set time zone 'UTC'; set datestyle = 'ISO'; set enable_seqscan = off");
    const send = createSession(database);
    const queue = new KeyedQueue();
    const query: Query = (text, parameters) =>
      queue.run(CONNECTION, async () => {
        const { rows } = await send(text, parameters);
        return rows;
      });
    // A failure shows in other statements too.
    const intervals = [
      setInterval(() => vacuum(query).catch(() => {}), VACUUM_INTERVAL).unref(),
      setInterval(() => checkpoint(query).catch(() => {}), CHECK_INTERVAL).unref(),
    ];
    return {
      kind: 'embedded',
      // In each turn of the event loop, one list and one count run: PGlite would run all that wait in one turn. Reads by
      // key and writes are short: if they took turns, too, each would wait for another count.
      query: (text, parameters, kind) =>
        kind === 'list' || kind === 'count'
          ? queue.run(kind, () => nextTurn().then(() => query(text, parameters)))
          : query(text, parameters),
      transaction: (work) => queue.run(CONNECTION, () => transact(send, work)),
      close: async () => {
        for (const interval of intervals) clearInterval(interval);
        // After all that waits for a turn, and then for the connection.
        for (const kind of ['list', 'count']) await queue.run(kind, async () => {});
        await queue.run(CONNECTION, () => database.close());
        await unlock();
      },
    };
  } catch (error) {
    await unlock();
    // Errors of PGlite's file system have no message.
    const reason = (error as Error).message ?? 'its files cannot be read or written, or the disk is full';
    throw new Error(`The embedded database in ${folder} cannot be opened: ${reason}.`);
  }
}

/** The database of the folder. Makes it if it is missing, or if the start that made it was interrupted. */
async function openOrMake(folder: string): Promise<PGlite> {
  const [database, mark] = [join(folder, DATABASE_FOLDER), join(folder, UNFINISHED)];
  if (existsSync(mark)) await rm(database, { recursive: true, force: true });
  if (existsSync(join(database, 'PG_VERSION'))) return PGlite.create(database, options);
  await writeFile(mark, '');
  // Whatever the umask, PGlite makes files that everyone may write.
  await mkdir(database, { recursive: true, mode: 0o700 });
  const made = await PGlite.create(database, options);
  await rm(mark);
  return made;
}

/** Makes the space of deleted rows reusable, or the folder grows with each change. Other statements run in between. */
async function vacuum(query: Query): Promise<void> {
  for (const [table] of await query(CHANGED, [])) await query(`vacuum (analyze) ${table}`, []);
}

/** Makes the space of the log reusable, or the folder grows with each change. It takes some 15 ms. */
async function checkpoint(query: Query): Promise<void> {
  const [[hasGrown] = []] = await query(HAS_GROWN, []);
  if (hasGrown) await query('checkpoint', []);
}

/** Describes an error of the file system in one line; passes on any other error, which describes itself. */
function unusable(folder: string, what: string): (error: NodeJS.ErrnoException) => never {
  return (error) => {
    if (error.code === undefined) throw error;
    throw new Error(
      `The folder ${folder} for the embedded database cannot be ${what} (${error.code}); set DATA_DIR to one that can.`,
    );
  };
}

/** The files that an unused folder may have: of the file system, of Git, and our lock. */
const IGNORED = /^(lost\+found|\.gitkeep|\.gitignore|lock\..*)$/;

/** Rejects a folder with other files: deleting them could delete the database by mistake, or the other way round. */
async function assertUnshared(folder: string): Promise<void> {
  const files = await readdir(folder).catch(unusable(folder, 'read'));
  if (files.includes(UNFINISHED)) return;
  const hasDatabase = files.includes(DATABASE_FOLDER);
  const inside = hasDatabase ? await readdir(join(folder, DATABASE_FOLDER)).catch(unusable(folder, 'read')) : files;
  const others = inside.filter((file) => !IGNORED.test(file));
  if (hasDatabase ? inside.length === 0 || inside.includes('PG_VERSION') : others.length === 0) return;
  throw new Error(
    `The folder ${hasDatabase ? join(folder, DATABASE_FOLDER) : folder} contains other files (${others.slice(0, 3).join(', ')}); set DATA_DIR to an empty folder.`,
  );
}
