import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

/** A program to start, and its environment beside `PATH` and `HOME`. */
export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** A listening server. */
export interface Running {
  /** Such as `http://127.0.0.1:4000`. */
  readonly base: string;
  readonly pid: number;
  /** The end of its output. */
  output(): string;
  /** Stops it, or kills it if it does not stop. */
  stop(): Promise<void>;
}

/** In milliseconds. */
const START_LIMIT = 30_000;
const STOP_LIMIT = 3_000;
const OUTPUT_TAIL = 4_000;

const alive = new Set<ChildProcess>();
let isOver = false;
process.prependOnceListener('exit', endAll);

/** Ends every started process at once; none can be started any more. */
export function endAll(): void {
  isOver = true;
  for (const child of alive) child.kill('SIGKILL');
}

/** Starts a process that ends with this one. */
export function start({ program, args, folder, environment }: Command, options: SpawnOptions = {}): ChildProcess {
  if (isOver) throw new Error(`${program} is not started any more: the run is over.`);
  const { PATH = '', HOME = '' } = process.env;
  const env = { PATH, HOME, ...environment };
  const child = spawn(program, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'], ...options });
  alive.add(child);
  for (const event of ['exit', 'error']) child.once(event, () => alive.delete(child));
  return child;
}

/**
 * Starts a server, and waits until it has printed its URL or port.
 *
 * @throws {Error} with the end of its output if it ends or prints nothing
 */
export async function startServer(name: string, command: Command): Promise<Running> {
  const child = start(command);
  let output = '';
  const heard = new Promise<string>((resolve, reject) => {
    const look = (chunk: Buffer) => {
      output += chunk;
      const base = baseIn(output);
      if (base !== undefined) resolve(base);
      output = output.slice(-OUTPUT_TAIL);
    };
    child.stdout?.on('data', look);
    child.stderr?.on('data', look);
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`${name} ended with ${code} while it started:\n${output}`)));
  });
  const late = sleep(START_LIMIT, undefined, { ref: false }).then(() => {
    throw new Error(`${name} has not said within ${START_LIMIT} ms where it listens:\n${output}`);
  });
  try {
    const base = await Promise.race([heard, late]);
    return { base, pid: child.pid as number, output: () => output, stop: () => stop(child) };
  } catch (error) {
    await stop(child);
    throw error;
  }
}

/** Runs a program until it ends, and gives its standard output. Rejects if it fails. */
export async function runToEnd(name: string, command: Command): Promise<string> {
  const child = start(command);
  let [output, all] = ['', ''];
  child.stdout?.on('data', (chunk) => {
    output += chunk;
    all += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    all += chunk;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${name} ended with ${code}:\n${all.slice(-OUTPUT_TAIL)}`);
  return output;
}

/** Stops it, or kills it if it does not stop. */
export async function stop(child: ChildProcess): Promise<void> {
  if (!alive.has(child)) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  const impatient = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT);
  await gone;
  clearTimeout(impatient);
}

function baseIn(output: string): string | undefined {
  const [, base] = /"base":"([^"]+)"/.exec(output) ?? [];
  const [, port] = /^\{"port":(\d+),/m.exec(output) ?? [];
  return base ?? (port && `http://127.0.0.1:${port}`);
}
