import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect } from 'vitest';
import { copyTestDatabase, type DatabaseCopy } from './database.ts';
import { type Service, settingsFor, startService } from './service.ts';

/** A service for one test file and helpers for its sockets; it runs during the tests. */
interface OwnService extends Pick<Service, 'base' | 'output'>, Pick<DatabaseCopy, 'location'> {
  /** Opens a connection. */
  open(): Socket;
  /** The head of a request. */
  head(method: string, path: string, headers?: Readonly<Record<string, string>>): string;
  /** The number of its connections, including those to the database. */
  connections(): Promise<number>;
  /** Whether it is alive, ready, and answers. */
  isWell(): Promise<boolean>;
  /** Stops it as an operator does, and gives its exit code. */
  stop(): Promise<number | null>;
  /** Kills it, and starts it again with these settings on the same database. */
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
    get location() {
      return copy.location;
    },
    output: () => service.output(),
    open() {
      const { hostname, port } = new URL(service.base);
      const socket = connect(Number(port), hostname).setNoDelay();
      // A rejected client may get an error while it sends; it still reads the response.
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
    stop: () => service.stop(),
    async restart(settings) {
      await service.stop('SIGKILL');
      service = await startService({ ...settingsFor(copy.location), ...settings });
    },
  };
}

interface Answer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** Fields that may occur twice in a response. */
const LISTS = ['vary', 'link'];

/** Reads `count` responses, each with a body as long as its Content-Length; the first `withoutBody` have none. */
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
    // Not the event `data`: the stream would flow, and data between two reads would be lost.
    else await Promise.race([once(socket, 'readable'), closed]);
  }
  expect(bytes.toString()).toBe('');
  return answers as [Answer, ...Answer[]];
}
