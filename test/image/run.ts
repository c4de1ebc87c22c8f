import { deepEqual, equal, match } from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startPostgresServer } from '../support/postgres-server.ts';
import { makeTemporaryFolder } from '../support/temporary.ts';
import { buildImage } from './dockerfile.ts';

/*
 * Executes the Dockerfile without a container engine, and runs the result as `compose.yaml` does: with the packages of
 * production only, as a user without write access, on a PostgreSQL server.
 */

const context = fileURLToPath(new URL('../..', import.meta.url));
/** The account `nobody` if root runs this, otherwise the same account. */
const NOBODY = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
const PASSWORD = 'p@ss/word';
const STARTED = 20_000;

const place = makeTemporaryFolder();
chmodSync(place.path, 0o755);
const server = await startPostgresServer();
let [passed, failed] = [0, 0];

try {
  await main();
} finally {
  await server.stop();
  place.remove();
}
process.stdout.write(`${passed} passed, ${failed} failed\n`);
if (failed > 0) process.exitCode = 1;

async function main(): Promise<void> {
  process.stdout.write('Following the Dockerfile ...\n');
  const image = buildImage(context, place.path);
  const home = join(place.path, 'home');
  mkdirSync(home);
  chmodSync(home, 0o777);
  const port = await freePort();
  const base = `http://127.0.0.1:${port}`;
  writeFileSync(join(place.path, 'password'), `${PASSWORD}\n`);
  const environment = {
    PATH: process.env.PATH,
    HOME: home,
    ...image.environment,
    PORT: `${port}`,
    DATABASE_URL: server.url,
    DATABASE_PASSWORD_FILE: join(place.path, 'password'),
    AUTH: 'required',
    MIGRATE: 'off',
  };
  const before = writtenUnder(image.root);
  let key = '';
  let service: ChildProcess | undefined;

  await check('it has no package that only development or an option needs', async () => {
    const { packages } = JSON.parse(readFileSync(join(image.folder, 'node_modules/.package-lock.json'), 'utf8'));
    const isNeedless = (path: string) => ['dev', 'optional', 'devOptional'].some((flag) => packages[path][flag]);
    deepEqual(Object.keys(packages).filter(isNeedless), []);
  });

  // A name could be root's, as Kubernetes sees it.
  await check('it runs as a user that by its number is not root', async () => match(image.user, /^[1-9]\d*:[1-9]\d*$/));

  await check('it does not start before the job has migrated the database, and says why', async () => {
    const { code, output } = await ended(image.command);
    equal(code, 1);
    match(output, /\d+ migrations? (is|are) not applied, and MIGRATE is off: run npm run db:migrate first\./);
  });

  await check('the job migrates the database, even with MIGRATE=off', async () => {
    deepEqual(await ended(['node', 'dist/commands/migrate.js']).then(({ code }) => code), 0);
  });

  await check('the commands run, with npm and without', async () => {
    const created = await ended([
      'node',
      'dist/commands/keys.js',
      'create',
      '--name',
      'me',
      '--scopes',
      'catalogue:write',
    ]);
    key = /psk_\S+/.exec(created.output)?.[0] ?? '';
    match(created.output, /It is shown only once/);
    for (const script of ['keys -- list', 'db:migrate', 'db:seed -- --pets 20']) {
      const { code, output } = await ended(['npm', 'run', ...script.split(' ')]);
      equal(code, 0, `${script}: ${output}`);
    }
  });

  await check('it starts, is healthy, reads and writes', async () => {
    service = start(image.command);
    await untilHealthy();
    equal((await fetch(`${base}/pets?limit=1`)).status, 200);
    equal((await fetch(`${base}/reference/start.js`)).status, 200);
    const made = await fetch(`${base}/categories`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: JSON.stringify({ name: 'Newts' }),
    });
    equal(made.status, 201, await made.text());
    match(await (await fetch(`${base}/graphql`, { headers: { accept: 'text/html' } })).text(), /<title>/);
  });

  await check('a SIGTERM ends it with 0', async () => {
    service?.kill('SIGTERM');
    deepEqual(await (service && once(service, 'exit')), [0, null]);
    equal((await ended(image.healthCheck)).code, 1);
  });

  await check('npm start starts it too', async () => {
    const started = start(['npm', 'start']);
    await untilHealthy();
    process.kill(-(started.pid as number), 'SIGTERM');
    await once(started, 'exit');
  });

  await check('no file of the image was changed', async () => deepEqual(writtenUnder(image.root), before));

  async function untilHealthy(): Promise<void> {
    const until = performance.now() + STARTED;
    while ((await ended(image.healthCheck)).code !== 0) {
      if (performance.now() > until) throw new Error('It is not healthy.');
      await sleep(100);
    }
  }

  function start([command = '', ...args]: readonly string[]): ChildProcess {
    return spawn(command, args, { cwd: image.folder, env: environment, detached: true, ...NOBODY });
  }

  async function ended(command: readonly string[]): Promise<{ code: number; output: string }> {
    const child = start(command);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk));
    const [code] = await once(child, 'close');
    return { code, output };
  }
}

async function check(name: string, holds: () => Promise<void>): Promise<void> {
  try {
    await holds();
    passed++;
    process.stdout.write(`  holds  ${name}\n`);
  } catch (error) {
    failed++;
    process.stdout.write(`  FAILS  ${name}: ${error instanceof Error ? error.message : error}\n`);
  }
}

/** The modification time of each file. */
function writtenUnder(root: string): Readonly<Record<string, number>> {
  const files = readdirSync(root, { recursive: true }) as string[];
  return Object.fromEntries(files.map((file) => [file, statSync(join(root, file)).mtimeMs]));
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as { port: number };
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
