import { randomUUID } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** How often, and after how many milliseconds, to try again while another process removes a stale lock. */
const MAX_TRIES = 50;
const PAUSE = 50;

interface Holder {
  /** Identifies this acquisition of the lock, so that only one process takes it over. */
  readonly id: string;
  readonly pid: number;
  readonly host: string;
  /** When the process started, in the system's own terms: distinguishes it from a later process with the same pid. */
  readonly began: string | null;
}

/**
 * Locks the folder for this process, because two processes on one embedded database lose data silently. The lock is a
 * file beside the data that names its holder; it is taken over only if that process has ended.
 *
 * @returns the function that releases it
 */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  const path = join(folder, 'lock.json');
  const id = randomUUID();
  const mine = join(folder, `lock.${id}`);
  const holder: Holder = { id, pid: process.pid, host: hostname(), began: await startOf(process.pid) };
  await writeFile(mine, JSON.stringify(holder));
  try {
    for (let tries = 0; !(await claim(mine, path)); tries++) {
      const takeover = await removeStale(path, folder, mine);
      if (takeover === undefined) continue;
      if (tries === MAX_TRIES)
        throw new Error(`The folder ${folder} is being taken over. (If not, remove ${takeover}.)`);
      await sleep(PAUSE);
    }
  } finally {
    await rm(mine, { force: true });
  }
  return () => rm(path, { force: true });
}

/** Creates the lock as a hard link, so that no process sees it without its content; false if it exists. */
async function claim(mine: string, path: string): Promise<boolean> {
  try {
    await link(mine, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/**
 * Removes the lock of a process that has ended. Only one process may do so per acquisition, and it checks the lock
 * again first: otherwise a slow process could remove the lock that a faster one has just acquired.
 *
 * @returns the file by which another process shows that it is doing so; undefined if there is none
 */
async function removeStale(path: string, folder: string, mine: string): Promise<string | undefined> {
  const found = await readIfThere(path);
  if (found === undefined) return undefined;
  const holder = parseHolder(found);
  if (holder === undefined || !(await hasEnded(holder))) throw heldBy(holder, folder, path);
  const takeover = join(folder, `lock.takeover.${holder.id}`);
  if (!(await claim(mine, takeover))) return takeover;
  const now = await readIfThere(path);
  if (now === found) await rm(path, { force: true });
  await rm(takeover, { force: true });
  return undefined;
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function parseHolder(text: string): Holder | undefined {
  try {
    return JSON.parse(text) as Holder;
  } catch {
    return undefined;
  }
}

async function hasEnded({ pid, host, began }: Holder): Promise<boolean> {
  if (host !== hostname()) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    // After a restart of the system, another user's process may have the pid: EPERM.
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return true;
  }
  const started = await startOf(pid);
  return began !== null && started !== null && began !== started;
}

/** The start time that we report for a zombie: it has ended, but its parent has not collected it yet. */
const ENDED = '';

/** The boot id and the clock tick at which the process started (Linux); null on other systems. */
async function startOf(pid: number): Promise<string | null> {
  try {
    const [stat, boot] = await Promise.all([
      readFile(`/proc/${pid}/stat`, 'utf8'),
      readFile('/proc/sys/kernel/random/boot_id', 'utf8'),
    ]);
    const fieldsAfterName = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fieldsAfterName[0] === 'Z') return ENDED;
    return `${boot.trim()}/${fieldsAfterName[19]}`;
  } catch {
    return null;
  }
}

function heldBy(holder: Holder | undefined, folder: string, path: string): Error {
  const who = holder === undefined ? 'another process' : `process ${holder.pid} on ${holder.host}`;
  return new Error(
    `The embedded database in ${folder} is in use by ${who}. Stop it, choose another DATA_DIR, or set DATABASE_URL to use a server. (If that process is certainly gone, remove ${path}.)`,
  );
}
