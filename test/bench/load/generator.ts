import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { headersOf, type PlainRequest } from '../contests/request.ts';
import { type Command, runToEnd } from '../processes.ts';

/** The result of a round; latencies in milliseconds. */
export interface Load {
  /** The number of responses, all of them successful. */
  readonly requests: number;
  readonly seconds: number;
  readonly p50: number;
  readonly p99: number;
}

/** The load generator: `wrk` if it is installed, otherwise autocannon, which needs more of the machine for itself. */
export interface Generator {
  /** With its version. */
  readonly name: string;
  /** Writes the requests into the file in its own format. */
  write(file: string, base: string, requests: readonly PlainRequest[]): void;
  /** Sends requests on all connections for that time. Rejects on an error status or a failed connection. */
  run(file: string, base: string, seconds: number): Promise<Load>;
  /** Does the same, and reads each response: rejects if one has GraphQL errors. */
  look(file: string, base: string, seconds: number): Promise<Load>;
}

export const CONNECTIONS = 32;

const folder = fileURLToPath(new URL('.', import.meta.url));

/** Chooses an available generator. */
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
  if (line === undefined) throw new Error(`${command.program} printed no result:\n${output}`);
  const { rejected, broken, ...load } = JSON.parse(line) as Load & { rejected: number; broken: number };
  if (rejected + broken > 0) {
    throw new Error(
      `Of ${load.requests} requests, ${rejected} were rejected and ${broken} failed on their connection.`,
    );
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

/** It prints its version only with an error. */
function wrkVersion(): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile('wrk', ['-v'], (_error, stdout, stderr) => {
      const [, version] = /wrk (?:debian\/)?(\d+(?:\.\d+)*)/.exec(stdout + stderr) ?? [];
      resolve(version);
    });
  });
}
