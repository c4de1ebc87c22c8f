import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { AUDIENCE, ISSUER, type Issuer, startIssuer } from '../service/access/issuer.ts';
import { contestsAmongPeers } from './contests/contest.ts';
import { type Build, type Contestant, serviceOf } from './contests/contestant.ts';
import { CREATE, GET, GRAPHQL_GET, LIST, ORDER } from './contests/names.ts';
import { UNIQUE } from './contests/request.ts';
import { SMALL } from './data/size.ts';
import { type Edit, editedCopy } from './edit.ts';
import { type Bench, type Effort, measureContest, type Result } from './measure/contest.ts';
import { mean, median, standardError } from './measure/statistics.ts';
import { runToEnd } from './processes.ts';
import { table } from './report/table.ts';
import { pairedRatio } from './report/verdict.ts';

/** A feature that protects the service or makes it observable: always on, or optional. */
type Protection = {
  readonly name: string;
  /** The contests in which it has a cost. */
  readonly contests: readonly string[];
} & ({ readonly without: Edit } | { readonly asked: Omit<Contestant, 'name'> });

const SCOPES = 'read,catalogue:write,orders:write,stock:write';

/** The protections, each with the build or the settings to compare with. */
export function protectionsOf(
  service: Build,
  issuer: Pick<Issuer, 'url' | 'token'>,
  collector: Pick<Collector, 'url'>,
): readonly Protection[] {
  const closed = (settings: Readonly<Record<string, string>>, credential: (url: string) => Promise<string>) => ({
    ...serviceOf(service, { AUTH: 'all', ...settings }),
    fields: async (url: string) => ({ authorization: `Bearer ${await credential(url)}` }),
  });
  const traced = (share: string) =>
    serviceOf(service, {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: share,
    });
  const issued = { JWT_JWKS_URL: issuer.url, JWT_ISSUER: ISSUER, JWT_AUDIENCE: AUDIENCE };
  return [
    {
      name: 'Concurrency limit and deadline',
      contests: [GET, GRAPHQL_GET],
      without: {
        file: 'src/engine/limits/concurrency.ts',
        replace: 'if (total >= max && !makeRoom(account))',
        by: 'if (true) return (async () => work({ aborted: false }))(); if (total >= max && !makeRoom(account))',
      },
    },
    {
      name: 'One request at a time on a connection, with one Host field',
      contests: [GET, CREATE],
      without: {
        file: 'src/engine/http/listen.ts',
        replace: 'const connection = connectionOf(request.socket);',
        by: 'return handler(request, response); const connection = connectionOf(request.socket);',
      },
    },
    {
      name: 'ETag',
      contests: [GET, LIST],
      without: {
        file: 'src/engine/rest/adapter.ts',
        replace: 'const tag = isList ?',
        by: 'const tag = true ? undefined : isList ?',
      },
    },
    {
      name: 'RATE_LIMIT',
      contests: [GET, LIST, GRAPHQL_GET],
      asked: serviceOf(service, { RATE_LIMIT: '100000000/60s' }),
    },
    {
      name: 'AUTH=all, by an API key',
      contests: [GET, CREATE, GRAPHQL_GET],
      asked: closed({}, (url) => newKey(service, url)),
    },
    {
      name: 'AUTH=all, with a token',
      contests: [GET, CREATE, GRAPHQL_GET],
      asked: closed(issued, () => issuer.token({ scope: SCOPES.replaceAll(',', ' '), exp: inAnHour() })),
    },
    {
      name: 'Idempotency-Key, each another',
      contests: [CREATE, ORDER],
      asked: { ...serviceOf(service), fields: async () => ({ 'idempotency-key': UNIQUE }) },
    },
    { name: 'OpenTelemetry, recording 1 %', contests: [GET, LIST, CREATE, GRAPHQL_GET], asked: traced('0.01') },
    { name: 'OpenTelemetry, recording all', contests: [GET, GRAPHQL_GET], asked: traced('1') },
  ];
}

/** How many processes of each kind are measured: two of the same kind differ by about 4 %. */
const PROCESSES = 10;

/**
 * Measures the service with each protection against the service without it, each with several processes.
 *
 * @param only selects protections and contests, by `protection: contest`
 * @returns a table in Markdown
 */
export async function measureProtections(service: Build, only: RegExp, effort: Effort, bench: Bench): Promise<string> {
  const issuer = await startIssuer();
  const collector = await startCollector();
  const copies: string[] = [];
  const entrantOf = (protection: Protection) => {
    const { name } = protection;
    if ('asked' in protection) return { name, contestant: { ...protection.asked, name }, data: SMALL };
    const copy = editedCopy(dirname(service.folder), protection.without);
    copies.push(copy);
    return { name, contestant: serviceOf({ name, folder: join(copy, 'dist') }), data: SMALL };
  };
  try {
    const all = protectionsOf(service, issuer, collector);
    const rows: string[][] = [];
    for (const contest of contestsAmongPeers([service])) {
      const chosen = all.filter(
        ({ name, contests }) => contests.includes(contest.name) && only.test(`${name}: ${contest.name}`),
      );
      if (chosen.length === 0) continue;
      const entrants = [contest.entrants[0], ...chosen.map(entrantOf)].filter((one) => one !== undefined);
      // Rejections depend on the caller, which differs here.
      const duel = { ...contest, entrants, targets: {}, workload: { ...contest.workload, rejections: [] } };
      const measured: (readonly Result[])[] = [];
      for (let process = 1; process <= PROCESSES; process++) {
        bench.say(`\n${contest.name}, processes ${process} of ${PROCESSES}`);
        measured.push(await measureContest(duel, effort, bench));
      }
      for (const [at, protection] of chosen.entries()) {
        const costs = measured.map((results) => {
          const [plain, other] = [results[0], results[at + 1]] as [Result, Result];
          return 'without' in protection ? costOf(plain, other) : costOf(other, plain);
        });
        const lost = costs.map((cost) => cost.lost * 100);
        rows.push([protection.name, contest.name, `${estimate(lost)} %`, estimate(costs.map(({ time }) => time))]);
      }
    }
    return table(['Protection', 'Workload', 'Requests/s lost', 'Processor time, us a request'], rows);
  } finally {
    for (const copy of copies) rmSync(copy, { recursive: true });
    await issuer.close();
    collector.close();
  }
}

interface Collector {
  readonly url: string;
  close(): void;
}

/** Accepts exported data, and ignores it. */
async function startCollector(): Promise<Collector> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.setHeader('content-type', 'application/json').end('{}'));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** The share of the requests per second that is lost, and the additional processor time of a request, in microseconds. */
function costOf(protecting: Result, without: Result) {
  const times = protecting.rounds.map(
    (round, n) =>
      (round.processorTimePerRequest ?? Number.NaN) - (without.rounds[n]?.processorTimePerRequest ?? Number.NaN),
  );
  return { lost: 1 - pairedRatio(protecting, without).rate, time: median(times) };
}

/** The mean of the processes, and its standard error. */
function estimate(values: readonly number[]): string {
  return `${mean(values).toFixed(1)} ± ${standardError(values).toFixed(1)}`;
}

async function newKey({ folder }: Build, url: string): Promise<string> {
  const output = await runToEnd('keys', {
    program: process.execPath,
    args: [join(folder, 'commands/keys.js'), 'create', '--name', 'bench', '--scopes', SCOPES],
    folder,
    environment: { DATABASE_URL: url },
  });
  return output.split('\n', 1)[0] as string;
}

/** The expiry of the tokens. */
function inAnHour(): number {
  return Math.floor(Date.now() / 1000) + 3_600;
}
