import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { headersOf, type PlainRequest } from '../contests/request.ts';
import { type Command, runToEnd } from '../processes.ts';

/** How a round went; latencies in milliseconds. */
export interface Load {
  /** How many were answered, all of them with success. */
  readonly requests: number;
  readonly seconds: number;
  readonly p50: number;
  readonly p99: number;
}

/** What asks: `wrk` where it is installed, otherwise autocannon, which needs more of the machine for itself. */
export interface Generator {
  /** With its version. */
  readonly name: string;
  /** Writes the requests into the file, as it reads them. */
  write(file: string, base: string, requests: readonly PlainRequest[]): void;
  /** Asks on all connections for so long. Rejects when an answer was no success, or a connection failed. */
  run(file: string, base: string, seconds: number): Promise<Load>;
  /** The same, and looks into each answer: rejects when one has GraphQL's errors. */
  look(file: string, base: string, seconds: number): Promise<Load>;
}

export const CONNECTIONS = 32;

const folder = fileURLToPath(new URL('.', import.meta.url));

/** Finds out what can ask. */
export async function findGenerator(): Promise<Generator> {
  const wrk = await wrkVersion();
  return wrk === undefined ? autocannon() : wrkOf(wrk);
}

function wrkOf(version: string): Generator {
  return {
    name: `wrk ${version}`,
    write: (file, base, requests) => writeFileSync(file, requests.map((request) => framed(base, request)).join('')),
    run: (file, base, seconds) => ask(base, seconds, [file]),
    look: (file, base, seconds) => ask(base, seconds, [file, 'look']),
  };

  function ask(base: string, seconds: number, args: readonly string[]): Promise<Load> {
    const options = ['-t1', `-c${CONNECTIONS}`, `-d${seconds}s`, '--timeout', '10s', '--latency'];
    return load({
      program: 'wrk',
      args: [...options, '-s', 'requests.lua', base, '--', ...args],
      folder,
      environment: {},
    });
  }
}

function autocannon(): Generator {
  const { version } = JSON.parse(readFileSync(`${folder}../node_modules/autocannon/package.json`, 'utf8'));
  return {
    name: `autocannon ${version}`,
    write: (file, _base, requests) => {
      const known = requests.map((request) => ({ ...request, headers: headersOf(request) }));
      writeFileSync(file, JSON.stringify(known));
    },
    run: (file, base, seconds) => ask(file, base, seconds),
    look: (file, base, seconds) => ask(file, base, seconds, 'look'),
  };

  function ask(file: string, base: string, seconds: number, ...more: readonly string[]): Promise<Load> {
    const args = ['autocannon.js', base, file, `${CONNECTIONS}`, `${seconds}`, ...more];
    return load({ program: process.execPath, args, folder, environment: {} });
  }
}

async function load(command: Command): Promise<Load> {
  const output = await runToEnd(command.program, command);
  const [line] = /^\{.*\}$/m.exec(output) ?? [];
  if (line === undefined) throw new Error(`${command.program} has not told how it went:\n${output}`);
  const { rejected, broken, ...load } = JSON.parse(line) as Load & { rejected: number; broken: number };
  if (rejected + broken > 0) {
    throw new Error(`Of ${load.requests} requests, ${rejected} were refused and ${broken} failed on their connection.`);
  }
  if (load.requests === 0) throw new Error('No request was answered.');
  return load;
}

function framed(base: string, request: PlainRequest): string {
  const { method, path, body = '' } = request;
  const fields = {
    host: new URL(base).host,
    ...headersOf(request),
    ...(body && { 'content-length': byteLength(body) }),
  };
  const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  const message = `${method} ${path} HTTP/1.1\r\n${head.join('')}\r\n${body}`;
  return `${byteLength(message)}\n${message}`;
}

function byteLength(text: string): number {
  return Buffer.byteLength(text);
}

/** It tells its version only beside an error. */
function wrkVersion(): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile('wrk', ['-v'], (_error, stdout, stderr) => {
      const [, version] = /wrk (?:debian\/)?(\d+(?:\.\d+)*)/.exec(stdout + stderr) ?? [];
      resolve(version);
    });
  });
}
