import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { freePort, startPostgresServer } from '../support/postgres-server.ts';
import { startService } from '../support/service.ts';
import { makeTemporaryFolder } from '../support/temporary.ts';
import { auditFeed, follow } from './feed.ts';
import { type Finding, type Scenario, tally } from './finding.ts';
import { audit, emptyLedger, writeInto } from './ledger.ts';
import { startLoad } from './load.ts';
import { databaseOf, outcomeOf } from './outage.ts';
import { killServer } from './outages.ts';
import { fill } from './shop.ts';

const CLIENTS = 8;
/** Less than is ordered, so that some orders are rejected while others fail. */
const STOCK = 400;
/** The minimum time between two kills, and the maximum addition to it, in milliseconds. */
const LEAST = 100;
const MORE = 300;
/** How long to wait for the first write after a kill, in milliseconds. */
const LONGEST_START = 10_000;

const ofService = (database: 'server' | 'embedded'): Scenario => ({
  name: `service killed under writes, ${database} database`,
  async run({ serviceKills: kills }) {
    const folder = makeTemporaryFolder();
    const server = database === 'server' ? await startPostgresServer() : undefined;
    const url = server === undefined ? undefined : await databaseOf(server);
    const settings = {
      PORT: `${await freePort()}`,
      ...(url === undefined ? { DATA_DIR: folder.path } : { DATABASE_URL: url }),
    };
    let service = await startService(settings);
    // On a server, a second process goes on, and publishes what the other has written; and somebody writes in SQL.
    const other = url === undefined ? undefined : await startService({ DATABASE_URL: url });
    const writer = url === undefined ? undefined : startWriter(url);
    try {
      return await findingsOf(
        kills,
        service.base,
        async () => {
          await service.stop('SIGKILL');
          service = await startService(settings);
        },
        writer?.stop,
      );
    } finally {
      await writer?.stop();
      await service.stop('SIGKILL');
      await other?.stop('SIGKILL');
      await server?.stop();
      folder.remove();
    }
  },
});

/** Renames pets in SQL, some in transactions that are rolled back or take long. */
function startWriter(url: string) {
  const client = postgres(url, { max: 1, onnotice: () => {} });
  let isOver = false;
  const rename = 'update pets set name = left(name, 20) || $1, version = version + 1 where id = 1 + $2';
  const running = (async () => {
    for (let n = 0; !isOver; n++) {
      await client
        .begin(async (transaction) => {
          await transaction.unsafe(rename, [`${n}`, n % 20]);
          await sleep(n % 7 === 0 ? 100 : 2);
          if (n % 5 === 0) throw new Error('Rolled back.');
        })
        .catch(() => {});
    }
    await client.end();
  })();
  return {
    async stop() {
      isOver = true;
      await running;
    },
  };
}

const ofServer: Scenario = {
  name: 'database server killed under writes',
  async run({ serverKills: kills }) {
    const server = await startPostgresServer({ durable: true });
    const service = await startService({ DATABASE_URL: await databaseOf(server) });
    try {
      return await findingsOf(kills, service.base, async () => {
        await killServer(server);
        await server.start();
      });
    } finally {
      await service.stop('SIGKILL');
      await server.stop();
    }
  },
};

export const kills: readonly Scenario[] = [ofService('server'), ofService('embedded'), ofServer];

/** Writes while something is killed and restarted that many times, and then checks the writes. */
async function findingsOf(
  times: number,
  base: string,
  killAndStart: () => Promise<void>,
  stopOthers: () => Promise<void> = async () => {},
): Promise<Finding[]> {
  await fill(base, STOCK);
  const follower = await follow(base);
  const ledger = emptyLedger();
  const ask = async (to: string, n: number) => ({ path: 'write', response: await writeInto(ledger, to, n) });
  const load = startLoad(base, CLIENTS, { ask });
  const acknowledged = () => ledger.pets.size + ledger.orders.size;
  for (let n = 0; n < times; n++) {
    // Otherwise a slow machine would never write between two kills.
    const [before, latest] = [acknowledged(), performance.now() + LONGEST_START];
    while (acknowledged() === before && performance.now() < latest) await sleep(10);
    await sleep(LEAST + Math.random() * MORE);
    await killAndStart();
  }
  await load.stop();
  await stopOthers();
  const { lost, oversold } = await audit(ledger, base, STOCK);
  return [
    {
      promise: `after ${times} kills each acknowledged write is there`,
      measured: `${lost} lost of ${acknowledged()}; ${tally(load.samples.map(outcomeOf))}`,
      holds: lost === 0 && acknowledged() > times,
    },
    {
      promise: 'nothing is oversold, and no stock is lost',
      measured: `${ledger.orders.size} orders of a stock of ${STOCK}; ${oversold} differ`,
      holds: oversold === 0 && ledger.orders.size > 0,
    },
    ...(await auditFeed(base, ledger, follower)),
  ];
}
