import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { administer, rowsOf } from '../support/admin.ts';
import { startPostgresServer } from '../support/postgres-server.ts';
import { runToEnd, type Service, startService } from '../support/service.ts';
import { makeTemporaryFolder } from '../support/temporary.ts';
import type { Finding, Size } from './finding.ts';
import { databaseOf, urlOn } from './outage.ts';

const execute = promisify(execFile);

/** The folders of servers that have stopped, by their number of pets: to fill one takes longer than most attacks. */
const filled = new Map<number, Promise<string>>();

/** Runs the work on a service of its own, whose database has pets, orders and stock. */
export async function onFilledService(
  { pets }: Pick<Size, 'pets'>,
  settings: Readonly<Record<string, string>>,
  work: (service: Service, serverPid: number) => Promise<Finding[]>,
): Promise<Finding[]> {
  const filling = filled.get(pets) ?? fill(pets);
  filled.set(pets, filling);
  const source = join(await filling, 'data');
  const server = await startPostgresServer({
    copyData: async (folder) => void (await execute('cp', ['-a', source, folder])),
  });
  const service = await startService({ DATABASE_URL: urlOn(server), ...settings });
  try {
    return await work(service, server.pid);
  } finally {
    await service.stop('SIGKILL');
    await server.stop();
  }
}

/** Fills a server and stops it; returns its folder. */
async function fill(pets: number): Promise<string> {
  const folder = makeTemporaryFolder();
  const server = await startPostgresServer({ folder });
  const url = await databaseOf(server);
  await runToEnd('commands/migrate', [], { DATABASE_URL: url });
  await runToEnd('commands/seed', ['--pets', `${pets}`], { DATABASE_URL: url });
  const service = await startService({ DATABASE_URL: url });
  // It publishes the events of these rows, for some seconds.
  while ((await rowsOf(url, 'select from outbox limit 1')).length > 0) await sleep(200);
  await service.stop();
  // The server itself would do it within a minute.
  await administer(url, 'vacuum analyze');
  await server.end('SIGINT');
  return folder.path;
}
