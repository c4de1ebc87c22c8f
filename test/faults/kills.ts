import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, startPostgresServer } from '../support/postgres-server.ts';
import { startService } from '../support/service.ts';
import { makeTemporaryFolder } from '../support/temporary.ts';
import { type Finding, type Scenario, tally } from './finding.ts';
import { audit, emptyLedger, type Ledger, writeInto } from './ledger.ts';
import { type Load, startLoad } from './load.ts';
import { databaseOf, outcomeOf } from './outage.ts';
import { killServer } from './outages.ts';
import { fill } from './shop.ts';

const CLIENTS = 8;
/** Less than is asked for: so that orders are refused while others fail. */
const STOCK = 400;
/** Between two kills, in milliseconds: at least, and at most so much more. */
const LEAST = 100;
const MORE = 300;

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
    try {
      await fill(service.base, STOCK);
      const ledger = emptyLedger();
      const load = writes(ledger, service.base);
      for (let n = 0; n < kills; n++) {
        await sleep(LEAST + Math.random() * MORE);
        await service.stop('SIGKILL');
        service = await startService(settings);
      }
      await load.stop();
      return await findings(load, ledger, service.base, kills);
    } finally {
      await service.stop('SIGKILL');
      await server?.stop();
      folder.remove();
    }
  },
});

const ofServer: Scenario = {
  name: 'database server killed under writes',
  async run({ serverKills: kills }) {
    const server = await startPostgresServer({ durable: true });
    const service = await startService({ DATABASE_URL: await databaseOf(server) });
    try {
      await fill(service.base, STOCK);
      const ledger = emptyLedger();
      const load = writes(ledger, service.base);
      for (let n = 0; n < kills; n++) {
        await sleep(LEAST + Math.random() * MORE);
        await killServer(server);
        await server.start();
      }
      await load.stop();
      return await findings(load, ledger, service.base, kills);
    } finally {
      await service.stop('SIGKILL');
      await server.stop();
    }
  },
};

export const kills: readonly Scenario[] = [ofService('server'), ofService('embedded'), ofServer];

function writes(ledger: Ledger, base: string): Load {
  const ask = async (to: string, n: number) => ({ path: 'write', response: await writeInto(ledger, to, n) });
  return startLoad(base, CLIENTS, { ask });
}

async function findings({ samples }: Load, ledger: Ledger, base: string, times: number): Promise<Finding[]> {
  const { lost, oversold } = await audit(ledger, base, STOCK);
  const acknowledged = ledger.pets.size + ledger.orders.size;
  return [
    {
      promise: `after ${times} kills each acknowledged write is there`,
      measured: `${lost} lost of ${acknowledged}; ${tally(samples.map(outcomeOf))}`,
      holds: lost === 0 && acknowledged > times,
    },
    {
      promise: 'nothing is oversold, and no stock is lost',
      measured: `${ledger.orders.size} orders of a stock of ${STOCK}; ${oversold} differ`,
      holds: oversold === 0 && ledger.orders.size > 0,
    },
  ];
}
