import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, type PostgresServer, startPostgresServer } from '../support/postgres-server.ts';
import { type Service, startService } from '../support/service.ts';
import { type Finding, type Scenario, seconds, tally } from './finding.ts';
import { startBalancer } from './haproxy.ts';
import { startLoad } from './load.ts';
import { databaseOf, isGood, outcomeOf } from './outage.ts';
import { familyOf, signalAll } from './processes.ts';
import { fill } from './shop.ts';

const CLIENTS = 20;
/** Within which a stop is over, in milliseconds. */
const LONGEST_STOP = 10_000;
const SOME_LOAD = 1_500;

const stopWhile = (state: 'up' | 'frozen'): Scenario => ({
  name: `SIGTERM under load, the database ${state}`,
  async run() {
    const server = await startPostgresServer();
    const service = await startService({ DATABASE_URL: await databaseOf(server) });
    try {
      await fill(service.base);
      return await stopUnderLoad(service, server, state === 'frozen');
    } finally {
      await service.stop('SIGKILL');
      signalAll(await familyOf(server.pid), 'SIGCONT');
      await server.stop();
    }
  },
});

async function stopUnderLoad(service: Service, server: PostgresServer, isFrozen: boolean): Promise<Finding[]> {
  const load = startLoad(service.base, CLIENTS);
  await sleep(SOME_LOAD);
  if (isFrozen) signalAll(await familyOf(server.pid), 'SIGSTOP');
  await sleep(SOME_LOAD);
  while (load.underWay() === 0) await sleep(1);
  const asked = performance.now();
  const code = await service.stop();
  const took = performance.now() - asked;
  await load.stop();
  const inFlight = load.samples.filter(({ began, ended }) => began < asked && ended > asked);
  return [
    {
      promise: `it ends by itself within ${seconds(LONGEST_STOP)}`,
      measured: `exit code ${code} after ${seconds(took)}`,
      holds: code === 0 && took <= LONGEST_STOP,
    },
    {
      promise: 'each request in flight is answered',
      measured: tally(inFlight.map(outcomeOf)),
      holds: inFlight.length > 0 && inFlight.every((sample) => (isFrozen ? sample.status !== 0 : isGood(sample))),
    },
  ];
}

/** One after the other is stopped and started, while the other takes all that comes. */
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

export const stops: readonly Scenario[] = [stopWhile('up'), stopWhile('frozen'), rollingRestart];
