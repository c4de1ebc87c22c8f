import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type PostgresServer, startPostgresServer } from '../support/postgres-server.ts';
import { startProxy } from '../support/proxy.ts';
import { startService } from '../support/service.ts';
import { promote, startStandby } from '../support/standby.ts';
import { type Finding, type Scenario, seconds, tally } from './finding.ts';
import { audit, emptyLedger, writeInto } from './ledger.ts';
import { type Ask, type Sample, startLoad } from './load.ts';
import { databaseOf, isGood, isHonest, outcomeOf } from './outage.ts';
import { killServer } from './outages.ts';
import { fill, watchHealth } from './shop.ts';

const CLIENTS = 12;
/** Less than is ordered, so that some orders are rejected while others fail. */
const STOCK = 2_000;
const SOME_LOAD = 1_500;
/** The maximum time until everything works again after the switch to a server that accepts writes, in milliseconds. */
const RECOVERY = 5_000;
/** The maximum time that reads may fail, until the lost connections to the primary are detected, in milliseconds. */
const SETTLED = 500;
/** The time without a primary, in milliseconds. */
const WITHOUT = 2_000;

const failover = (address: 'after' | 'before'): Scenario => ({
  name: `failover to a standby, the address switched ${address} its promotion`,
  async run({ deadline }) {
    const primary = await startPostgresServer({ durable: true });
    const url = await databaseOf(primary);
    const standby = await startStandby(primary);
    const proxy = await startProxy(url);
    const service = await startService({ DATABASE_URL: proxy.url, REQUEST_TIMEOUT: `${deadline}` });
    try {
      await fill(service.base, STOCK);
      return await findingsOf(service.base, async () => {
        await killServer(primary);
        const lost = performance.now();
        if (address === 'before') proxy.switchTo(standby.url);
        await sleep(WITHOUT);
        const promoting = performance.now();
        const readable = address === 'before' ? lost + SETTLED : promoting;
        await promote(standby);
        if (address === 'after') proxy.switchTo(standby.url);
        return { lost, readable, promoting, back: performance.now() };
      });
    } finally {
      await service.stop('SIGKILL');
      proxy.close();
      await Promise.all([primary, standby].map((server: PostgresServer) => server.stop()));
    }
  },
});

export const failovers: readonly Scenario[] = [failover('after'), failover('before')];

/**
 * When the primary was lost, from when until the promotion the standby could be read, and when the URL led to a server
 * that accepts writes.
 */
interface Course {
  readonly lost: number;
  readonly readable: number;
  readonly promoting: number;
  readonly back: number;
}

async function findingsOf(base: string, failOver: () => Promise<Course>): Promise<Finding[]> {
  const ledger = emptyLedger();
  let silent = 0;
  // Reads, and changes of pets and orders with and without a key.
  const ask: Ask = async (to, n) => {
    const isRead = n % 5 === 0;
    const key = n % 5 > 2 ? { 'idempotency-key': randomUUID() } : {};
    const response = await (isRead ? fetch(`${to}/pets/${1 + (n % 20)}`) : writeInto(ledger, to, n, key));
    if (response.status >= 500 && !response.headers.has('retry-after')) silent++;
    return { path: isRead ? 'read' : 'write', response };
  };
  const [watch, load] = [watchHealth(base), startLoad(base, CLIENTS, { ask })];
  await sleep(SOME_LOAD);
  const { lost, readable, promoting, back } = await failOver();
  await sleep(RECOVERY + SOME_LOAD);
  await load.stop();
  await watch.stop();
  const { lost: missing, oversold } = await audit(ledger, base, STOCK);
  const { samples } = load;
  const touched = samples.filter(({ began, ended }) => ended > lost && began < back);
  const wrong = samples.filter((sample) => !isExpected(sample));
  const failures = samples.filter(isHonest);
  const late = failures.filter(({ began }) => began > back);
  const recovery = Math.max(0, ...late.map(({ ended }) => ended - back));
  const acknowledged = ledger.pets.size + ledger.orders.size;
  const dead = watch.seen.filter(({ isLive }) => !isLive);
  const gloomy = watch.seen.filter(({ at, isReady }) => !isReady && at > back + RECOVERY);
  return [
    {
      promise: 'requests meanwhile: success, or 503 or 504 with the Error object and Retry-After',
      measured: `${tally(touched.map(outcomeOf))}${wrong.length > 0 ? `; wrong: ${tally(wrong.map(outcomeOf))}` : ''}`,
      holds: wrong.length + silent === 0 && failures.length > 0,
    },
    ...ofReads(samples.filter(({ path, began, ended }) => path === 'read' && began > readable && ended < promoting)),
    {
      promise: 'each confirmed write is kept',
      measured: `${missing} lost of ${acknowledged}`,
      holds: missing === 0 && acknowledged > 0,
    },
    {
      promise: 'nothing is oversold, and no stock is lost',
      measured: `${ledger.orders.size} orders of a stock of ${STOCK}; ${oversold} differ`,
      holds: oversold === 0 && ledger.orders.size > 0,
    },
    {
      promise: `the last failure after the switch, within ${seconds(RECOVERY)}`,
      measured: `${seconds(recovery)}${late.length > 0 ? `; after it: ${tally(late.map(outcomeOf))}` : ''}`,
      holds: recovery <= RECOVERY,
    },
    {
      promise: '/livez stays up, and /readyz is back by then',
      measured: `${dead.length} and ${gloomy.length} of ${watch.seen.length} not`,
      holds: dead.length + gloomy.length === 0,
    },
  ];
}

/** Reads from a standby that accepts no writes yet; none if the URL is switched later. */
function ofReads(samples: readonly Sample[]): Finding[] {
  if (samples.length === 0) return [];
  return [
    {
      promise: 'reads succeed while writes are impossible',
      measured: tally(samples.map(outcomeOf)),
      holds: samples.every(isGood),
    },
  ];
}

function isExpected(sample: Sample): boolean {
  return isGood(sample) || isHonest(sample) || sample.code === 'OUT_OF_STOCK';
}
