import { writeFileSync } from 'node:fs';
import { SMALL } from '../data/size.ts';
import { CONNECTIONS } from '../load/generator.ts';
import type { Bench, Effort } from '../measure/contest.ts';
import type { StartTime } from '../measure/start.ts';
import { machine, peerVersions } from './machine.ts';
import { contestTable, type Outcome, startTable, targetTable } from './tables.ts';

/** All that a run has found. */
export interface Results {
  readonly outcomes: readonly Outcome[];
  readonly starts: readonly StartTime[];
  readonly effort: Effort;
  readonly bench: Bench;
}

/** Writes `RESULTS.md`. */
export function writeResults(results: Results): void {
  writeFileSync(new URL('../RESULTS.md', import.meta.url), document(results));
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

- One machine has it all: a PostgreSQL server with its defaults (fsync on), one process of each contestant with 10
  connections to it, and what asks, on ${CONNECTIONS} connections. The service runs as \`npm start\` runs it, with no setting but
  its database and port; the peers run with \`NODE_ENV=production\` and log nothing.
- Each contest begins with a fresh copy of the same ${pets} pets and ${orders} orders, and fresh processes. Before and after,
  the contestants are asked the same and whole answers must be equal; what is created is counted in the database, where
  orders must have taken just the stock that they say. No answer may be a failure; a GraphQL answer with errors is one,
  which is looked for in a second under full load before the first round. PostGraphile makes a schema of its own,
  so its queries use aliases, and its BigInt strings count as the numbers they are. What an answer has beside its \`data\`,
  such as the service's \`extensions.lifecycle\`, is not compared.
- After ${warmUp} s to warm up, ${rounds} rounds of ${seconds} s are measured in turns: A B C A B C. The figures are medians of the rounds; the CPU
  time and the memory are those of the server's process.
- \`node:http\` answers a constant and asks no database; "the least" is node:http with the service's header fields and
  reads of many keys at once, but nothing else that a service has. They are limits, not peers.
- Fastify, Mercurius and Apollo share hand-written SQL in prepared statements. Yoga is with Pothos and Drizzle as their
  documentation has them, and with Yoga's own limit of a body's size, which is on unless it is turned off. All of them have
  clients of one connection each, as the service has them: postgres.js gets slower with each statement on one of several.
- Ratios are of medians. \`ratios.json\`, which \`--check\` holds the service to, has the median of each round's ratio.
- "As the data grows" is the service on a large database against itself on the small one. "With two processes" is
  \`WORKERS=2\` against one process, where what asks and the database share the same cores with them.
`;
}
