import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect } from 'vitest';
import { copyTestDatabase, type DatabaseCopy } from './database.ts';
import { type Service, settingsFor, startService } from './service.ts';

/** A service that a test file has to itself, and what a client may do to its socket; it is there while tests run. */
export interface OwnService extends Pick<Service, 'base' | 'output'> {
  /** A connection to it. */
  open(): Socket;
  /** The head of a request to it. */
  head(method: string, path: string, headers?: Readonly<Record<string, string>>): string;
  /** How many connections it has, those to the database included. */
  connections(): Promise<number>;
  /** Whether it lives, can work, and answers. */
  isWell(): Promise<boolean>;
  /** Kills it, and starts it with these settings on the same database. */
  restart(settings: Readonly<Record<string, string>>): Promise<void>;
}

/** Starts a service on an empty database before the tests of a file, and kills it after them. */
export function startOwnService(): OwnService {
  let copy: DatabaseCopy;
  let service: Service;
  beforeAll(async () => {
    copy = await copyTestDatabase();
    service = await startService(settingsFor(copy.location));
  });
  afterAll(async () => {
    await service?.stop('SIGKILL');
    await copy?.dispose();
  });

  return {
    get base() {
      return service.base;
    },
    output: () => service.output(),
    open() {
      const { hostname, port } = new URL(service.base);
      const socket = connect(Number(port), hostname).setNoDelay();
      // Whoever is rejected may be cut off while he still sends: he is told by what he reads.
      socket.on('error', () => {});
      return socket;
    },
    head(method, path, headers = {}) {
      const fields = { host: new URL(service.base).host, 'content-type': 'application/json', ...headers };
      const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
      return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`;
    },
    async connections() {
      const text = await (await fetch(`${service.base}/metrics`, { headers: { connection: 'close' } })).text();
      return Number(/^nodejs_active_resources\{type="TCPSocketWrap"\} (\d+)$/m.exec(text)?.[1]);
    },
    async isWell() {
      const headers = { connection: 'close' };
      const paths = ['/livez', '/readyz', '/pets'];
      const answers = await Promise.all(paths.map((path) => fetch(service.base + path, { headers })));
      return answers.every(({ ok }) => ok);
    },
    async restart(settings) {
      await service.stop('SIGKILL');
      service = await startService({ ...settingsFor(copy.location), ...settings });
    },
  };
}

export interface Answer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** Fields that may come twice in an answer. */
const LISTS = ['vary', 'link'];

/** Reads so many answers, each with a body as long as its field says, but for the first that are said to have none. */
export async function read(socket: Socket, count = 1, withoutBody = 0): Promise<[Answer, ...Answer[]]> {
  const answers: Answer[] = [];
  const closed = new Promise((resolve) => socket.once('close', resolve));
  let bytes = Buffer.alloc(0);
  while (answers.length < count) {
    const end = bytes.indexOf('\r\n\r\n');
    const [first = '', ...lines] = bytes.toString('latin1', 0, Math.max(end, 0)).split('\r\n');
    const fields = lines.map((line) => line.split(': ') as [string, string]);
    const names = fields.map(([name]) => name.toLowerCase());
    expect(names.filter((name, at) => !LISTS.includes(name) && names.indexOf(name) !== at)).toEqual([]);
    const headers = new Map(fields.map(([, value], at) => [names[at] as string, value]));
    const length = answers.length < withoutBody ? 0 : Number(headers.get('content-length') ?? 0);
    if (end >= 0 && bytes.length >= end + 4 + length) {
      answers.push({
        status: Number(first.split(' ')[1]),
        headers,
        body: bytes.toString('utf8', end + 4, end + 4 + length),
      });
      bytes = bytes.subarray(end + 4 + length);
      continue;
    }
    const more = socket.read() as Buffer | null;
    if (more !== null) bytes = Buffer.concat([bytes, more]);
    else if (socket.closed) throw new Error(`The connection was closed after ${answers.length} answers: ${bytes}`);
    // Not for its data, which would flow on, and be lost, when nobody waits for it.
    else await Promise.race([once(socket, 'readable'), closed]);
  }
  expect(bytes.toString()).toBe('');
  return answers as [Answer, ...Answer[]];
}
