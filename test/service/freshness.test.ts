import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp } from '../support/app.ts';
import { databaseKind, openTestDatabase } from '../support/database.ts';
import { startProxy } from '../support/proxy.ts';
import { settingsFor, startService } from '../support/service.ts';
import { watched } from '../support/watched.ts';

const WRITERS = 3;
const WRITES = 70;
const READERS = 6;
/** The delay of the database's answers, in milliseconds; an answer may be older than a write. */
const LATE = 15;

interface Processes {
  readonly fetch: readonly ((path: string, init: RequestInit) => Promise<Response>)[];
  stop(): Promise<void>;
}

let processes: Processes;
/** One for each writer. */
let pets: number[] = [];

beforeAll(async () => {
  processes = await (databaseKind === 'server' ? startThree() : startOne());
  const { id: categoryId } = await send('POST', 0, '/categories', { name: 'Any' });
  const made = times(WRITERS, () => send('POST', 0, '/pets', { name: '0', categoryId }));
  pets = (await Promise.all(made)).map(({ id }) => id);
});
afterAll(() => processes?.stop());

/** Three processes on one server; one of them has a longer way to it. */
async function startThree(): Promise<Processes> {
  const opened = await openTestDatabase();
  const proxy = await startProxy(opened.location.url as string, { delay: LATE });
  const near = settingsFor(opened.location);
  const services = await Promise.all(
    [near, near, { ...near, DATABASE_URL: proxy.url }].map((settings) => startService(settings)),
  );
  return {
    fetch: services.map(
      ({ base }) =>
        (path, init) =>
          fetch(base + path, init),
    ),
    async stop() {
      await Promise.all(services.map((service) => service.stop('SIGKILL')));
      proxy.close();
      await opened.dispose();
    },
  };
}

/** The embedded database belongs to one process: this one. */
async function startOne(): Promise<Processes> {
  const app = await startTestApp({}, {}, (database) =>
    watched(database, async ({ text }, run) => {
      const rows = await run();
      if (text.startsWith('select')) await sleep(LATE);
      return rows;
    }),
  );
  return {
    fetch: [(path, init) => app.fetch(new Request(`http://pets.example${path}`, init))],
    stop: app.dispose,
  };
}

/** The body of a successful response; `process` is taken modulo the number of processes. */
// biome-ignore lint/suspicious/noExplicitAny: a test looks at whatever came.
async function send(method: string, process: number, path: string, body?: unknown): Promise<any> {
  const ask = processes.fetch[process % processes.fetch.length] as Processes['fetch'][number];
  const response = await ask(path, {
    method,
    ...(body !== undefined && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(`${method} ${path} was answered with ${JSON.stringify(answer)}`);
  return answer;
}

/** The ways to read a pet's name, which is the number of its writes. */
const READS: readonly ((process: number, id: number) => Promise<number>)[] = [
  async (process, id) => Number((await send('GET', process, `/pets/${id}`)).name),
  async (process, id) => Number((await send('GET', process, `/pets?id=${id}`))[0].name),
  async (process, id) => Number((await ask(process, `{ pet(petId: ${id}) { name } }`)).pet.name),
  async (process, id) => Number((await ask(process, `{ pets(id: [${id}]) { nodes { name } } }`)).pets.nodes[0].name),
];

// biome-ignore lint/suspicious/noExplicitAny: a test looks at whatever came.
async function ask(process: number, query: string): Promise<any> {
  return (await send('POST', process, '/graphql', { query })).data;
}

function times<Value>(count: number, make: (index: number) => Value): Value[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

/** Runs the work while clients read the same pets from every process; checks that no read is older than the last. */
async function amidReaders(work: () => Promise<void>): Promise<void> {
  let isDone = false;
  const readers = times(READERS, async (reader) => {
    const seen = pets.map(() => 0);
    for (let turn = reader; !isDone; turn++) {
      // Keeps readers and writers from falling into step.
      await sleep(turn % LATE);
      const which = turn % pets.length;
      const read = READS[(turn + reader) % READS.length] as (typeof READS)[number];
      const now = await read(turn, pets[which] as number);
      expect(now).toBeGreaterThanOrEqual(seen[which] as number);
      seen[which] = now;
    }
  });
  try {
    await work();
  } finally {
    isDone = true;
    await Promise.allSettled(readers);
  }
  await Promise.all(readers);
}

test('a read that starts after the response to a write sees that write, in every process and every way to read', async () => {
  await amidReaders(async () => {
    const writers = pets.map(async (id, writer) => {
      for (let count = 1; count <= WRITES; count++) {
        await send('PATCH', writer + count, `/pets/${id}`, { name: String(count) });
        const reads = READS.map((read, way) => read(writer + count + way + 1, id));
        expect([count, await Promise.all(reads)]).toEqual([count, READS.map(() => count)]);
      }
    });
    await Promise.all(writers);
  });
});
