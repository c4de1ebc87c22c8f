import { readFileSync, writeFileSync } from 'node:fs';
import { SMALL } from '../data/size.ts';
import { CONNECTIONS } from '../load/generator.ts';
import type { Bench, Effort } from '../measure/contest.ts';
import type { StartTime } from '../measure/start.ts';
import { machine, peerVersions } from './machine.ts';
import { contestTable, type Outcome, startTable, targetTable } from './tables.ts';

/** All results of a run. */
interface Results {
  readonly outcomes: readonly Outcome[];
  readonly starts: readonly StartTime[];
  readonly effort: Effort;
  readonly bench: Bench;
}

const PAGE = new URL('../RESULTS.md', import.meta.url);
/** The last section, which is measured by a run of its own. */
const EVENTS = '\n## Events\n';

/** Writes `RESULTS.md`, except what it says of events. */
export function writeResults(results: Results): void {
  const page = readFileSync(PAGE, 'utf8');
  const events = page.includes(EVENTS) ? page.slice(page.indexOf(EVENTS)) : '';
  writeFileSync(PAGE, document(results) + events);
}

/** Writes what events cost at the end of `RESULTS.md`. */
export function writeEvents(figures: string, { rounds, seconds }: Effort): void {
  const [others] = readFileSync(PAGE, 'utf8').split(EVENTS);
  writeFileSync(
    PAGE,
    `${others}${EVENTS}
Measured on ${new Date().toISOString().slice(0, 10)} with \`npm run bench -- --events --write\`, on ${machine()}; Node ${process.versions.node}.
Writes are measured in turns with and without events (\`EVENTS=off\`), in ${rounds} rounds of ${seconds} s.

${figures}
`,
  );
}

function document({ outcomes, starts, effort, bench }: Results): string {
  const { databases, generator } = bench;
  const sections = outcomes.map((outcome) => `## ${outcome.contest.name}\n\n${contestTable(outcome)}\n`);
  return `# The benchmark's results

Measured on ${new Date().toISOString().slice(0, 10)} with \`npm run bench\`, which writes this page.

- Machine: ${machine()}; Node ${process.versions.node}, PostgreSQL ${databases.version}, ${generator.name}.
- Peers: ${peerVersions()}.

${method(effort)}
## Targets

${targetTable(outcomes)}

## Start

${startTable(starts)}

${sections.join('\n')}`;
}

function method({ rounds, seconds, warmUp }: Effort): string {
  const [pets, orders] = [SMALL.pets, SMALL.orders].map((count) => count.toLocaleString('en'));
  return `## How

- Everything runs on one machine: a PostgreSQL server with a quarter of the memory as its shared buffers and otherwise its
  defaults (fsync on), one process of each contestant with 10 connections to it, and the load generator with
  ${CONNECTIONS} connections. The service runs as \`npm start\` runs it, with only its database and port set; the peers run with
  \`NODE_ENV=production\` and log nothing.
- Each contest starts with a fresh copy of the same ${pets} pets and ${orders} orders, and fresh processes. Before and after,
  the contestants get the same requests, and their whole responses must be equal. Created rows are counted in the database,
  where the stock must have decreased by exactly the quantities of the orders. No request may fail: before the first round,
  a second under full load also checks GraphQL responses for errors. PostGraphile has a schema of its own, so its queries
  use aliases, and its BigInt strings are compared as numbers. What a GraphQL response has beside \`data\`, such as the
  service's \`extensions.lifecycle\`, is not compared.
- After a warm-up of ${warmUp} s, ${rounds} rounds of ${seconds} s are measured in turns: A B C A B C. The figures are medians of the rounds; the CPU
  time and the memory are those of the server process.
- \`node:http\` returns a constant without a database; "the least" is node:http with the service's header fields and
  batched reads, but nothing else of a service. They are limits, not peers.
- Fastify, Mercurius and Apollo share hand-written SQL in prepared statements. Yoga uses Pothos and Drizzle as in their
  documentation, with Yoga's default limit of the body size. All of them have clients of one connection each, like the
  service, because a client of postgres.js with several connections gets slower with each statement.
- Ratios are of medians. \`ratios.json\`, which \`--check\` compares with, has the medians of each round's ratios: of requests per
  second, and of requests per second of the server's processor time.
- "As the data grows" compares the service on a large database with itself on the small one. "With two processes" compares
  \`WORKERS=2\` with one process, on the same cores as the load generator and the database.
`;
}
