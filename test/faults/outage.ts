import { setTimeout as sleep } from 'node:timers/promises';
import { addressOf, administer } from '../support/admin.ts';
import { type PostgresServer, startPostgresServer } from '../support/postgres-server.ts';
import { type Service, startService } from '../support/service.ts';
import type { TemporaryFolder } from '../support/temporary.ts';
import { type Finding, type Scenario, type Size, seconds, tally } from './finding.ts';
import { type Load, type Sample, startLoad } from './load.ts';
import { fill, type Watch, watchHealth } from './shop.ts';

/** A fault of the database. */
export interface Outage {
  readonly name: string;
  begin(server: PostgresServer): Promise<void>;
  end(server: PostgresServer): Promise<void>;
  /** Its duration, in milliseconds. */
  lasts(size: Size): number;
  /** Whether nothing at all works during it. */
  readonly isWhole: boolean;
  /** The data folder of the database; by default a temporary folder of its own. */
  readonly folder?: () => Promise<TemporaryFolder>;
}

interface Course {
  readonly samples: readonly Sample[];
  readonly seen: Watch['seen'];
  readonly deadline: number;
  /** When it started, had taken effect, was about to end, and had ended. */
  readonly began: number;
  readonly down: number;
  readonly rising: number;
  readonly over: number;
}

const CLIENTS = 20;
const BEFORE = 1_500;
/** In milliseconds, on a busy machine: the maximum time until recovery, and of a response after the timeout. */
const RECOVERY = 5_000;
const TOLERANCE = 1_000;

/** The account of the service on the server, without special rights. */
export const ROLE = 'shop';

/** The promises for every outage, checked under load. */
export function outageScenario(outage: Outage): Scenario {
  return {
    name: `database ${outage.name}`,
    async run(size) {
      const folder = await outage.folder?.();
      const server = await startPostgresServer(folder === undefined ? {} : { folder, isManaged: true });
      const url = await databaseOf(server);
      const service = await startService({ DATABASE_URL: url, REQUEST_TIMEOUT: `${size.deadline}` });
      await fill(service.base);
      const [watch, load] = [watchHealth(service.base), startLoad(service.base, CLIENTS)];
      try {
        const course = await endure(outage, size, server, watch, load);
        return [...findings(outage, course), await endOf(service)];
      } finally {
        await service.stop('SIGKILL');
        await server.stop();
      }
    },
  };
}

/** Creates an empty database that the role owns. */
export async function databaseOf(server: PostgresServer): Promise<string> {
  await administer(server.url, `create role ${ROLE} login`);
  await administer(server.url, `create database ${ROLE} owner ${ROLE}`);
  return urlOn(server);
}

/** The URL of the database that `databaseOf` created. */
export function urlOn(server: Pick<PostgresServer, 'url'>): string {
  return Object.assign(new URL(addressOf(server.url, ROLE)), { username: ROLE }).href;
}

async function endure(outage: Outage, size: Size, server: PostgresServer, watch: Watch, load: Load): Promise<Course> {
  await sleep(BEFORE);
  const began = performance.now();
  await outage.begin(server);
  const down = performance.now();
  await sleep(outage.lasts(size));
  const rising = performance.now();
  await outage.end(server);
  const over = performance.now();
  await sleep(RECOVERY + TOLERANCE);
  await load.stop();
  await watch.stop();
  return { samples: load.samples, seen: watch.seen, deadline: size.deadline * 1000, began, down, rising, over };
}

function findings(outage: Outage, course: Course): Finding[] {
  const { samples, seen, deadline, began, down, rising, over } = course;
  const touched = samples.filter((sample) => sample.ended > began && sample.began < over);
  const wrong = samples.filter((sample) => !isGood(sample) && !isHonest(sample));
  const failed = touched.filter(isHonest);
  const maxLength = Math.max(...samples.map((sample) => sample.ended - sample.began));
  const laterFailures = samples.filter((sample) => !isGood(sample) && sample.began > over);
  const recovery = Math.max(0, ...laterFailures.map((sample) => sample.ended - over));
  const blind = seen.filter(({ at, until, isReady }) => outage.isWhole && at > down && until < rising && isReady);
  const gloomy = seen.filter(({ at, until, isReady }) => !isReady && (until < began || at > over + RECOVERY));
  const dead = seen.filter(({ isLive }) => !isLive);
  return [
    {
      promise: 'requests meanwhile: success, or 503 or 504 with the Error object',
      measured: tally(touched.map(outcomeOf)),
      holds: wrong.length === 0 && (failed.length > 0 || !outage.isWhole),
    },
    {
      promise: `the longest answer, within the deadline of ${seconds(deadline)}`,
      measured: seconds(maxLength),
      holds: maxLength <= deadline + TOLERANCE,
    },
    {
      promise: `the last failure after its return, within ${seconds(RECOVERY)}`,
      measured: seconds(recovery),
      holds: recovery <= RECOVERY,
    },
    {
      promise: '/readyz reports the outage',
      measured: `${seen.length} looks, ${blind.length + gloomy.length} untrue`,
      holds: blind.length + gloomy.length === 0,
    },
    { promise: '/livez stays up', measured: `${dead.length} of ${seen.length} not`, holds: dead.length === 0 },
  ];
}

async function endOf(service: Service): Promise<Finding> {
  const code = await service.stop();
  return { promise: 'the process runs until it is stopped', measured: `exit code ${code}`, holds: code === 0 };
}

/** The status; for GraphQL that of the error. */
export function outcomeOf({ status, code }: Sample): string | number {
  return code === undefined ? status : `${status} ${code}`;
}

export function isGood({ status, code }: Sample): boolean {
  return status >= 200 && status < 300 && code === undefined;
}

/** Whether the error allows a retry: 503 or 504. */
export function isHonest({ code }: Sample): boolean {
  return code === 'UNAVAILABLE' || code === 'TIMEOUT';
}
