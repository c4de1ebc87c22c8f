import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { startPostgresServer } from '../support/postgres-server.ts';
import { startService } from '../support/service.ts';
import { type Finding, type Scenario, seconds, tally } from './finding.ts';
import { allRows } from './ledger.ts';
import { type Load, sample, send, startLoad } from './load.ts';
import { databaseOf, isGood, isHonest, outcomeOf } from './outage.ts';
import { emptyDisk, fillDisk, mountSmallDisk } from './outages.ts';
import { fill } from './shop.ts';

const CLIENTS = 12;
const STOCK = 1_000_000;
const QUANTITY = 2;
const SOME_LOAD = 1_000;
/** How long the disk is full each time, in milliseconds. */
const FULL = 2_000;
const RECOVERY = 5_000;

/** A change with a key, its last response, and the time of that. */
interface Sent {
  readonly kind: 'order' | 'pet';
  answer?: string;
}

const keyedWritesOn = (database: 'server' | 'embedded'): Scenario => ({
  name: `a disk that fills, again and again, under writes with a key each, ${database} database`,
  async run({ fills }) {
    const folder = await mountSmallDisk();
    const server = database === 'server' ? await startPostgresServer({ folder, isManaged: true }) : undefined;
    const location = server === undefined ? { DATA_DIR: folder.path } : { DATABASE_URL: await databaseOf(server) };
    const service = await startService(location);
    try {
      await fill(service.base, STOCK);
      const sent = new Map<string, Sent>();
      const load = startLoad(service.base, CLIENTS, {
        ask: async (base, n) => ({
          path: '',
          response: await write(base, sent, randomUUID(), n % 3 === 0 ? 'pet' : 'order'),
        }),
      });
      let room = 0;
      for (let n = 0; n < fills; n++) {
        await sleep(SOME_LOAD);
        await fillDisk(folder.path);
        await sleep(FULL);
        emptyDisk(folder.path);
        room = performance.now();
      }
      await sleep(RECOVERY);
      await load.stop();
      return [...ofLoad(load, room), ...(await ofKeys(service.base, sent))];
    } finally {
      await service.stop('SIGKILL');
      if (server === undefined) folder.remove();
      else await server.stop();
    }
  },
});

export const fullDisks: readonly Scenario[] = [keyedWritesOn('server'), keyedWritesOn('embedded')];

/** Sends a change, and records a successful response under its key. */
async function write(base: string, sent: Map<string, Sent>, key: string, kind: Sent['kind']): Promise<Response> {
  const before = sent.get(key) ?? { kind };
  sent.set(key, before);
  const headers = { 'idempotency-key': key };
  const response = await (kind === 'order'
    ? send('POST', `${base}/store/orders`, { petId: 1, quantity: QUANTITY }, headers)
    : send('POST', `${base}/pets`, { name: key, categoryId: 1 }, headers));
  if (response.status === 201) before.answer = await response.clone().text();
  return response;
}

function ofLoad({ samples }: Load, room: number): Finding[] {
  const failures = samples.filter((one) => !isGood(one));
  const wrong = failures.filter((one) => !isHonest(one));
  const recovery = Math.max(0, ...failures.filter(({ began }) => began > room).map(({ ended }) => ended - room));
  return [
    {
      promise: 'each is a success, or 503 or 504 with the Error object',
      measured: tally(samples.map(outcomeOf)),
      holds: wrong.length === 0 && failures.length > 0,
    },
    {
      promise: `the last failure after there is room, within ${seconds(RECOVERY)}`,
      measured: seconds(recovery),
      holds: recovery < RECOVERY,
    },
  ];
}

/** Sends each change again with its key, and checks the stored rows. */
async function ofKeys(base: string, sent: ReadonlyMap<string, Sent>): Promise<Finding[]> {
  const answered = [...sent].filter(([, { answer }]) => answer !== undefined);
  const first = new Map(answered.map(([key, { answer }]) => [key, answer]));
  const again = new Map<string, Sent>([...sent].map(([key, { kind }]) => [key, { kind }]));
  const entries = [...sent];
  const outcomes: (string | number)[] = [];
  let next = 0;
  const worker = async () => {
    for (let entry = entries[next++]; entry !== undefined; entry = entries[next++]) {
      const [key, { kind }] = entry;
      const ask = async () => ({ path: '', response: await write(base, again, key, kind) });
      outcomes.push(outcomeOf(await sample(base, ask, 0)));
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, worker));
  const others = answered.filter(([key]) => again.get(key)?.answer !== first.get(key));
  const orders = entries.filter(([, { kind }]) => kind === 'order').length;
  const { quantity: left } = (await (await fetch(`${base}/store/inventory/1`)).json()) as { quantity: number };
  const names = new Map<string, number>();
  for (const { name } of await allRows<{ name: string }>(base, '/pets')) names.set(name, (names.get(name) ?? 0) + 1);
  const pets = entries.filter(([, { kind }]) => kind === 'pet');
  const wrongPets = pets.filter(([key]) => names.get(key) !== 1);
  const taken = (STOCK - left) / QUANTITY;
  return [
    {
      promise: `sent once more, all ${entries.length} keys are answered, and those with an answer by the same bytes`,
      measured: `${tally(outcomes)}; ${others.length} of ${answered.length} differ`,
      holds: outcomes.every((outcome) => outcome === 201) && others.length === 0 && answered.length < entries.length,
    },
    {
      promise: 'each key has one effect',
      measured: `${taken} orders of ${orders} keys; ${wrongPets.length} of ${pets.length} pets not there once`,
      holds: taken === orders && wrongPets.length === 0,
    },
  ];
}
