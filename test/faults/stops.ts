import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { freePort, type PostgresServer, startPostgresServer } from '../support/postgres-server.ts';
import { type Service, startService } from '../support/service.ts';
import { type Finding, type Scenario, seconds, tally } from './finding.ts';
import { startBalancer } from './haproxy.ts';
import { startLoad } from './load.ts';
import { databaseOf, isGood, isHonest, outcomeOf } from './outage.ts';
import { familyOf, signalAll } from './processes.ts';
import { fill } from './shop.ts';

const CLIENTS = 20;
/** The maximum time of a stop, in milliseconds. */
const MAX_STOP_TIME = 10_000;
const SOME_LOAD = 1_500;

/** When the database freezes and continues, in milliseconds after SIGTERM. */
interface Freeze {
  readonly name: string;
  /** Whether it froze before SIGTERM. */
  readonly isBefore: boolean;
  /** The time from SIGTERM until it freezes, and from that until it continues; undefined for never. */
  readonly freezesAfter?: number;
  readonly thawsAfter?: number;
  /** Whether requests wait for a lock at SIGTERM, so that some are in progress during the stop. */
  readonly isLocked?: boolean;
}

const FREEZES: readonly Freeze[] = [
  { name: 'up', isBefore: false },
  { name: 'frozen', isBefore: true },
  { name: 'frozen just after it', isBefore: false, freezesAfter: 0 },
  { name: 'frozen 2 s after it', isBefore: false, freezesAfter: 2_000, isLocked: true },
  { name: 'frozen, and back 3 s after it', isBefore: true, thawsAfter: 3_000 },
];

const stopWhile = (freeze: Freeze): Scenario => ({
  name: `SIGTERM under load, the database ${freeze.name}`,
  async run() {
    const server = await startPostgresServer();
    const url = await databaseOf(server);
    const service = await startService({ DATABASE_URL: url });
    const other = postgres(url, { max: 1 });
    try {
      await fill(service.base);
      const lock = async () => freeze.isLocked && (await other.unsafe('begin; lock table pets'));
      return await stopUnderLoad(service, server, freeze, lock);
    } finally {
      await other.end({ timeout: 0 });
      await service.stop('SIGKILL');
      signalAll(await familyOf(server.pid), 'SIGCONT');
      await server.stop();
    }
  },
});

async function stopUnderLoad(
  service: Service,
  server: PostgresServer,
  freeze: Freeze,
  lock: () => Promise<unknown>,
): Promise<Finding[]> {
  const { isBefore, freezesAfter, thawsAfter } = freeze;
  const load = startLoad(service.base, CLIENTS);
  await sleep(SOME_LOAD);
  // Its child processes stay the same, and looking them up later takes too long.
  const family = await familyOf(server.pid);
  if (isBefore) signalAll(family, 'SIGSTOP');
  await lock();
  await sleep(SOME_LOAD);
  while (load.underWay() === 0) await sleep(1);
  const asked = performance.now();
  const stopping = service.stop();
  if (freezesAfter !== undefined) {
    if (freezesAfter > 0) await sleep(freezesAfter);
    signalAll(family, 'SIGSTOP');
  }
  if (thawsAfter !== undefined) {
    await sleep(thawsAfter);
    signalAll(family, 'SIGCONT');
  }
  const code = await stopping;
  const took = performance.now() - asked;
  await load.stop();
  const inFlight = load.samples.filter(({ began, ended }) => began < asked && ended > asked);
  const isFrozen = isBefore || freezesAfter !== undefined;
  return [
    {
      promise: `it ends by itself within ${seconds(MAX_STOP_TIME)}`,
      measured: `exit code ${code} after ${seconds(took)}`,
      holds: code === 0 && took <= MAX_STOP_TIME,
    },
    {
      promise: 'each request in progress is answered',
      measured: tally(inFlight.map(outcomeOf)),
      holds: inFlight.length > 0 && inFlight.every((sample) => isGood(sample) || (isFrozen && isHonest(sample))),
    },
  ];
}

/** The instances are stopped and started in turn, while the other gets all requests. */
const rollingRestart: Scenario = {
  name: 'rolling restart of two behind haproxy, under load',
  async run({ rolls }) {
    const server = await startPostgresServer();
    const url = await databaseOf(server);
    const ports = [await freePort(), await freePort()];
    const start = (port: number) => startService({ DATABASE_URL: url, PORT: `${port}` });
    const services: Service[] = [];
    for (const port of ports) services.push(await start(port));
    const balancer = await startBalancer(ports);
    try {
      await fill(balancer.base);
      const load = startLoad(balancer.base, CLIENTS);
      for (let roll = 0; roll < rolls; roll++) {
        for (const [n, port] of ports.entries()) {
          await sleep(SOME_LOAD);
          await services[n]?.stop();
          services[n] = await start(port);
        }
      }
      await sleep(SOME_LOAD);
      await load.stop();
      const failed = load.samples.filter((sample) => !isGood(sample));
      return [
        {
          promise: `no request fails in ${rolls * ports.length} restarts`,
          measured: `${failed.length} of ${load.samples.length}; ${tally(load.samples.map(outcomeOf))}`,
          holds: failed.length === 0 && load.samples.length > rolls,
        },
      ];
    } finally {
      await balancer.stop();
      await Promise.all(services.map((service) => service.stop('SIGKILL')));
      await server.stop();
    }
  },
};

export const stops: readonly Scenario[] = [...FREEZES.map(stopWhile), rollingRestart];
