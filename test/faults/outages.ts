import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { open, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { administer } from '../support/admin.ts';
import type { PostgresServer } from '../support/postgres-server.ts';
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary.ts';
import { NotHere } from './finding.ts';
import { type Outage, outageScenario, ROLE } from './outage.ts';
import { familyOf, signalAll, untilGone } from './processes.ts';

const execute = promisify(execFile);

const PAST_DEADLINE = 2_000;
const SHORT = 3_000;
/** Enough for an empty database, its programs and some of its log. */
const DISK = '400m';
const BALLAST = 'ballast';
/** Ends the sessions of the services. */
export const TERMINATE =
  "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'pet-store' and pid <> pg_backend_pid()";

/** By SIGSTOP: its connections stay open, and no data passes. */
const frozen: Outage = {
  name: 'frozen for longer than the deadline',
  begin: async ({ pid }) => signalAll(await familyOf(pid), 'SIGSTOP'),
  end: async ({ pid }) => signalAll(await familyOf(pid), 'SIGCONT'),
  lasts: ({ deadline }) => deadline * 1000 + PAST_DEADLINE,
  isWhole: true,
};

const killed: Outage = {
  name: 'killed, and started',
  begin: killServer,
  end: (server) => server.start(),
  lasts: () => SHORT,
  isWhole: true,
};

const restarted: Outage = {
  name: 'restarted',
  begin: (server) => server.end('SIGINT'),
  end: (server) => server.start(),
  lasts: () => 0,
  isWhole: false,
};

const terminated: Outage = {
  name: 'ending all connections, again and again',
  async begin({ url }) {
    for (let n = 0; n < 20; n++) {
      await administer(url, TERMINATE);
      await sleep(100);
    }
  },
  end: async () => {},
  lasts: () => 0,
  isWhole: false,
};

/** Reads still work; no write does until there is space again. */
const diskFull: Outage = {
  name: 'without room on its disk',
  folder: mountSmallDisk,
  begin: ({ folder }) => fillDisk(folder),
  end: async ({ folder }) => emptyDisk(folder),
  lasts: () => SHORT,
  isWhole: false,
};

/** As if one client more than the server accepts were connected. */
const crowded: Outage = {
  name: 'taking no connections, as it has too many',
  async begin({ url }) {
    await administer(url, `alter role ${ROLE} connection limit 0`);
    await administer(url, TERMINATE);
  },
  end: ({ url }) => administer(url, `alter role ${ROLE} connection limit -1`),
  lasts: () => SHORT,
  isWhole: true,
};

export const outages = [frozen, killed, restarted, terminated, diskFull, crowded].map(outageScenario);

/** Like a crash. */
export async function killServer(server: PostgresServer): Promise<void> {
  const family = await familyOf(server.pid);
  await server.end('SIGKILL');
  // Its child processes must end and release the shared memory before it can be started again.
  await untilGone(family);
}

/** Fills the folder's disk. */
export async function fillDisk(folder: string): Promise<void> {
  const ballast = await open(join(folder, BALLAST), 'w');
  const { bavail, bsize } = await statfs(folder);
  await ballast.write(Buffer.alloc(bavail * bsize)).catch(() => {});
  await ballast.close();
}

/** Frees the disk. */
export function emptyDisk(folder: string): void {
  rmSync(join(folder, BALLAST));
}

/** @throws {NotHere} where no disk can be mounted */
export async function mountSmallDisk(): Promise<TemporaryFolder> {
  const folder = makeTemporaryFolder();
  try {
    await execute('mount', ['-t', 'tmpfs', '-o', `size=${DISK},mode=0755`, 'tmpfs', folder.path]);
  } catch (cause) {
    folder.remove();
    throw new NotHere('a disk that is full needs a small one: run this as root, where tmpfs may be mounted', { cause });
  }
  return {
    path: folder.path,
    remove() {
      void execute('umount', [folder.path]).finally(() => folder.remove());
    },
  };
}
