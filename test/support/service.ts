import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { DatabaseLocation } from '../../src/engine/db/client.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
/**
 * A process on the embedded database starts in two thirds of the time if its WebAssembly is not optimized, which pays off
 * only for one that lives longer than a test. Other runs, such as that of the faults, start the service as users do.
 */
const OPTIONS = process.env.VITEST ? ['--liftoff-only'] : [];

export interface Service {
  readonly process: ChildProcess;
  readonly pid: number;
  /** The URL that it has printed at its start. */
  readonly base: string;
  /** Its output so far. */
  output(): string;
  /** Stops or kills it, and gives its exit code. */
  stop(signal?: 'SIGTERM' | 'SIGHUP' | 'SIGKILL'): Promise<number | null>;
}

/** A finished command of the project. */
interface Ended {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

/** What `npm start` runs. */
const MAIN = 'dist/main.js';

type Environment = Readonly<Record<string, string>>;

/** Starts the service as a process of its own, on a free port. Rejects with its output if it ends instead. */
export async function startService(environment: Environment, main = MAIN): Promise<Service> {
  const child = run(main, [], { PORT: '0', ...environment });
  let output = '';
  const base = await new Promise<string>((resolve, reject) => {
    const look = (chunk: Buffer) => {
      output += chunk;
      const [, found] = /"base":"([^"]+)"/.exec(output) ?? [];
      if (found !== undefined) resolve(found);
    };
    child.stdout?.on('data', look);
    child.stderr?.on('data', look);
    child.once('exit', (code) => reject(new Error(`The service ended with ${code}: ${output}`)));
  });
  return {
    process: child,
    pid: child.pid as number,
    base,
    output: () => output,
    async stop(signal = 'SIGTERM') {
      if (child.exitCode === null && child.signalCode === null) {
        const gone = once(child, 'exit');
        child.kill(signal);
        await gone;
      }
      return child.exitCode;
    },
  };
}

/** Starts the service for the work, and kills it afterwards in any case. */
export async function withService(
  environment: Environment,
  work: (service: Service) => Promise<void>,
  main = MAIN,
): Promise<void> {
  const service = await startService(environment, main);
  try {
    await work(service);
  } finally {
    await service.stop('SIGKILL');
  }
}

/** The settings for a process that uses a test's database; an embedded one must not be open in this process. */
export function settingsFor({ url, folder }: DatabaseLocation): Environment {
  return { DATA_DIR: folder, ...(url !== undefined && { DATABASE_URL: url }) };
}

/** Runs the service, `main`, or a command such as `commands/seed`, until it ends. */
export async function runToEnd(command: string, args: readonly string[], environment: Environment): Promise<Ended> {
  const child = run(`dist/${command}.js`, args, environment);
  let [output, errors] = ['', ''];
  child.stdout?.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    errors += chunk;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output, errors };
}

/** Migrates the database of these settings, in a process of its own, as `npm run db:migrate` does. */
export async function migrate(environment: Environment): Promise<void> {
  const { code, output, errors } = await runToEnd('commands/migrate', [], environment);
  if (code !== 0) throw new Error(`The migration ended with ${code}: ${output}${errors}`);
}

function run(script: string, args: readonly string[], environment: Environment): ChildProcess {
  const { PATH = '', HOME = '' } = process.env;
  return spawn(process.execPath, [...OPTIONS, script, ...args], {
    cwd: root,
    env: { PATH, HOME, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}
