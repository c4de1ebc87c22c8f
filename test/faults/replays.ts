import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { administer } from '../support/admin.ts';
import { freePort, startPostgresServer } from '../support/postgres-server.ts';
import { startService } from '../support/service.ts';
import { makeTemporaryFolder } from '../support/temporary.ts';
import type { Finding, Scenario } from './finding.ts';
import { send } from './load.ts';
import { databaseOf } from './outage.ts';
import { TERMINATE } from './outages.ts';
import { fill } from './shop.ts';

/** The number of senders of each request, which take turns between the processes, and of requests in progress. */
const SENDERS = 10;
const AT_ONCE = 10;
/** The quantity of each order. */
const QUANTITY = 1;
/** The time between two faults, in milliseconds. For the embedded database each is a restart, slow at first. */
const CALM = { server: 500, embedded: 2_000 };
/** The time between two attempts of a sender, in milliseconds. */
const PAUSE = 50;

const replaysOn = (database: 'server' | 'embedded'): Scenario => ({
  name: `requests with a key, sent by ${SENDERS} at once until answered, under faults, ${database} database`,
  async run({ replays }) {
    const folder = makeTemporaryFolder();
    const server = database === 'server' ? await startPostgresServer() : undefined;
    const location = server === undefined ? { DATA_DIR: folder.path } : { DATABASE_URL: await databaseOf(server) };
    const settings = { PORT: `${await freePort()}`, ...location };
    let service = await startService(settings);
    // Another process on the same database, which keeps running.
    const other = server === undefined ? undefined : await startService(location);
    const { base } = service;
    let isOver = false;
    const faults = async () => {
      let count = 0;
      for (; !isOver; count++) {
        await sleep(CALM[database]);
        if (server !== undefined && count % 10 !== 9) await administer(server.url, TERMINATE);
        else {
          await service.stop('SIGKILL');
          service = await startService(settings);
        }
      }
      return count;
    };
    try {
      await fill(base, replays);
      const requests = replays / SENDERS;
      const breaking = faults();
      const answers = await answersTo([base, other?.base ?? base], requests);
      isOver = true;
      const count = await breaking;
      return await findings(base, answers, replays, count);
    } finally {
      isOver = true;
      await service.stop('SIGKILL');
      await other?.stop('SIGKILL');
      await server?.stop();
      folder.remove();
    }
  },
});

export const replays: readonly Scenario[] = [replaysOn('server'), replaysOn('embedded')];

/** The final response of each sender, by request; every other request is GraphQL. */
async function answersTo(bases: readonly string[], requests: number): Promise<string[][]> {
  const answers: string[][] = [];
  let next = 0;
  const worker = async () => {
    while (next < requests) {
      const n = next++;
      const key = { 'idempotency-key': randomUUID() };
      const ask = n % 2 === 0 ? orderByRest : orderByGraphQL;
      answers[n] = await Promise.all(
        Array.from({ length: SENDERS }, (_, sender) => untilAnswered(ask, bases[sender % bases.length] as string, key)),
      );
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return answers;
}

/** Sends an order; gives the response if it is final. */
type Ask = (base: string, key: object) => Promise<string | undefined>;

const ORDER = { petId: 1, quantity: QUANTITY };

const orderByRest: Ask = async (base, key) => {
  const response = await send('POST', `${base}/store/orders`, ORDER, key);
  const text = await response.text();
  return response.status === 201 ? text : undefined;
};

const orderByGraphQL: Ask = async (base, key) => {
  const query = 'mutation ($order: NewOrder!) { placeOrder(order: $order) { id quantity complete } }';
  const response = await send('POST', `${base}/graphql`, { query, variables: { order: ORDER } }, key);
  const text = await response.text();
  return response.status === 200 && !text.includes('"errors"') ? text : undefined;
};

/** Retries until the response is final, as a client without responses would. */
async function untilAnswered(ask: Ask, base: string, key: object): Promise<string> {
  for (;;) {
    const text = await ask(base, key).catch(() => undefined);
    if (text !== undefined) return text;
    await sleep(PAUSE);
  }
}

async function findings(base: string, answers: string[][], stock: number, faults: number): Promise<Finding[]> {
  const { quantity: left } = (await (await fetch(`${base}/store/inventory/1`)).json()) as { quantity: number };
  const effects = (stock - left) / QUANTITY;
  const different = answers.filter((each) => new Set(each).size !== 1).length;
  const distinct = new Set(answers.flat()).size;
  return [
    {
      promise: `of ${answers.length * SENDERS} requests with ${answers.length} keys, one effect for each key`,
      measured: `${effects} effects, ${distinct} different answers, amid ${faults} faults`,
      holds: effects === answers.length && distinct === answers.length && faults > 0,
    },
    {
      promise: 'each sender gets the same response, byte for byte',
      measured: `${different} of ${answers.length} keys with answers that differ`,
      holds: different === 0,
    },
  ];
}
