import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';

interface Holder {
  readonly pid: number;
  readonly host: string;
  /** When the process began, as the system counts it: tells a process from a later one with the same pid. */
  readonly began: string | null;
}

/**
 * Takes the folder for this process, for two processes on one embedded database lose data silently. The lock is a
 * file beside the data that names its holder; that of a process which is gone is taken over, that of a living one
 * never.
 *
 * @returns gives the folder back
 * @throws {Error} that says who holds the folder
 */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  const path = join(folder, 'lock.json');
  const mine = join(folder, `lock.${process.pid}.${randomUUID()}`);
  const holder: Holder = { pid: process.pid, host: hostname(), began: await beginningOf(process.pid) };
  await writeFile(mine, JSON.stringify(holder));
  try {
    while (!(await claim(mine, path))) await removeStale(path, folder, mine);
  } finally {
    await rm(mine, { force: true });
  }
  return () => rm(path, { force: true });
}

/** A hard link is made whole or not at all, so the lock is never seen without its content. */
async function claim(mine: string, path: string): Promise<boolean> {
  try {
    await link(mine, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function removeStale(path: string, folder: string, mine: string): Promise<void> {
  const found = await readFile(path, 'utf8').catch(() => undefined);
  if (found === undefined) return;
  const holder = parseHolder(found);
  if (holder === undefined || !(await isGone(holder))) throw heldBy(holder, folder, path);
  const aside = `${mine}.stale`;
  await rename(path, aside).catch(() => undefined);
  const moved = await readFile(aside, 'utf8').catch(() => undefined);
  // Another process may have taken over between our look and our move: then what we moved is its lock, not the stale one.
  if (moved !== undefined && moved !== found) await link(aside, path).catch(() => undefined);
  await rm(aside, { force: true });
}

function parseHolder(text: string): Holder | undefined {
  try {
    return JSON.parse(text) as Holder;
  } catch {
    return undefined;
  }
}

async function isGone({ pid, host, began }: Holder): Promise<boolean> {
  if (host !== hostname()) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
  const beginning = await beginningOf(pid);
  return began !== null && beginning !== null && began !== beginning;
}

/** The boot and the tick at which the process began, where the system tells (Linux), otherwise null. */
async function beginningOf(pid: number): Promise<string | null> {
  try {
    const [stat, boot] = await Promise.all([
      readFile(`/proc/${pid}/stat`, 'utf8'),
      readFile('/proc/sys/kernel/random/boot_id', 'utf8'),
    ]);
    const fieldsAfterName = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
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
