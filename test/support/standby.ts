import { execFile } from 'node:child_process';
import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import postgres from 'postgres';
import { administer, rowsOf } from './admin.ts';
import { type PostgresServer, startPostgresServer } from './postgres-server.ts';

const execute = promisify(execFile);

/** In milliseconds: the pause between two checks of the primary, and the maximum time until it knows its standby. */
const LOOK_EVERY = 50;
const PATIENCE = 20_000;

/**
 * Starts a hot standby that follows the server by streaming. From then on the server confirms a commit only when the
 * standby has it on its disk, so confirmed data outlives the server.
 *
 * @throws {Error} if the standby does not follow within 20 s
 */
export async function startStandby(primary: PostgresServer): Promise<PostgresServer> {
  const standby = await startPostgresServer({ durable: true, copyData: (folder) => copyOf(primary, folder) });
  try {
    await administer(primary.url, "alter system set synchronous_standby_names = '*'");
    await administer(primary.url, 'select pg_reload_conf()');
    await untilSynchronous(primary);
  } catch (error) {
    await standby.stop();
    throw error;
  }
  return standby;
}

/** Promotes the standby: it accepts writes when this resolves. */
export async function promote(standby: PostgresServer): Promise<void> {
  await administer(standby.url, 'select pg_promote()');
}

/** Does what pg_basebackup does, which npm lacks: PostgreSQL, "Making a Base Backup Using the Low Level API". */
async function copyOf({ url, folder: source }: PostgresServer, folder: string): Promise<void> {
  const client = postgres(url, { max: 1, onnotice: () => {} });
  try {
    await client`select pg_backup_start('standby', fast => true)`;
    await execute('cp', ['-a', join(source, 'data'), folder]);
    const [stopped] = await client<
      { labelfile: string }[]
    >`select labelfile from pg_backup_stop(wait_for_archive => false)`;
    writeFileSync(join(folder, 'backup_label'), stopped?.labelfile ?? '');
  } finally {
    await client.end();
  }
  rmSync(join(folder, 'postmaster.pid'));
  writeFileSync(join(folder, 'standby.signal'), '');
  const { hostname, port, username } = new URL(url);
  appendFileSync(
    join(folder, 'postgresql.auto.conf'),
    `primary_conninfo = 'host=${hostname} port=${port} user=${username}'\n`,
  );
}

async function untilSynchronous({ url }: PostgresServer): Promise<void> {
  const until = performance.now() + PATIENCE;
  while ((await rowsOf(url, "select from pg_stat_replication where sync_state = 'sync'")).length === 0) {
    if (performance.now() > until) throw new Error(`The standby does not follow its primary after ${PATIENCE} ms.`);
    await sleep(LOOK_EVERY);
  }
}
