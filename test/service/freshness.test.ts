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
/** How much later than it was read an answer of the database comes, in milliseconds: it may be of before a write. */
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

/** On one server, to which one of them has a longer way than the others. */
async function startThree(): Promise<Processes> {
  const opened = await openTestDatabase();
  const proxy = await startProxy(opened.location.url as string, LATE);
  const near = settingsFor(opened.location);
  const services = await Promise.all([near, near, { ...near, DATABASE_URL: proxy.url }].map(startService));
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

/** The embedded database is one process's: this one. */
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

/** The body of an answer that must be a good one; processes are counted round and round. */
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

/** The ways to read how often a pet was written: that is its name. */
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

/** Has clients read the same pets from every process while the work is done, and see no pet grow younger. */
async function amidReaders(work: () => Promise<void>): Promise<void> {
  let isDone = false;
  const readers = times(READERS, async (reader) => {
    const seen = pets.map(() => 0);
    for (let turn = reader; !isDone; turn++) {
      // So that readers and writers do not fall into step.
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

test('a read that starts after the answer of a write sees it, whichever process is asked and however', async () => {
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
