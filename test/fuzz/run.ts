import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import fc from 'fast-check';
import { createChecks } from './checks.ts';
import { graphqlCases } from './graphql.ts';
import { restCases } from './rest.ts';
import { type DatabaseKind, type Openness, startTarget } from './target.ts';
import type { Kind } from './values.ts';

/** Cases that begin with the same rows: few enough that rows are left to the last, and one round is quickly repeated. */
const ROUND = 250;
/** After that many failed rounds the rest would tell nothing new. */
const MOST_FAILURES = 10;
const HELP =
  'npm run fuzz -- [--cases N] [--graphql N] [--seed N|random] [--database embedded|server] [--access open|closed]';

type Statuses = Map<Kind, Map<number, number>>;

const { values } = parseArgs({
  options: {
    cases: { type: 'string', default: '2000' },
    graphql: { type: 'string' },
    seed: { type: 'string' },
    database: { type: 'string', default: 'embedded' },
    access: { type: 'string', default: 'open' },
  },
});
const restRuns = numberOf(values.cases);
const graphqlRuns = values.graphql === undefined ? Math.ceil(restRuns / 2) : numberOf(values.graphql);
const random = randomInt(1e9);
/** Usually one half is of a seed that is always the same, and the other of one that never was. */
const seeds = values.seed === undefined ? [1, random] : [values.seed === 'random' ? random : numberOf(values.seed)];

const target = await startTarget(databaseOf(values.database), opennessOf(values.access));
const checks = createChecks(target);
let [passed, failed] = [0, 0];
process.on('unhandledRejection', (error) => {
  failed++;
  tell(`An unhandled rejection: ${error}`);
});

for (const seed of seeds) {
  await fuzz('REST', restCases, Math.ceil(restRuns / seeds.length), seed, checks.rest);
  await fuzz('GraphQL', graphqlCases, Math.ceil(graphqlRuns / seeds.length), seed, checks.graphql);
}
await target.close();
tell(`${passed} passed, ${failed} failed`);
if (failed > 0) process.exitCode = 1;

async function fuzz<T extends { readonly kind: Kind }>(
  face: string,
  cases: fc.Arbitrary<T>,
  runs: number,
  seed: number,
  check: (one: T) => Promise<number>,
): Promise<void> {
  const statuses: Statuses = new Map();
  const began = performance.now();
  let done = 0;
  for (let round = 0, failures = 0; done < runs && failures < MOST_FAILURES; round++) {
    const result = await runRound(cases, Math.min(ROUND, runs - done), seed + round, check, statuses);
    done += result.numRuns;
    passed += result.numRuns - (result.failed ? 1 : 0);
    if (!result.failed) continue;
    failures++;
    failed++;
    const flag = face === 'REST' ? `--cases ${ROUND} --graphql 0` : `--cases 0 --graphql ${ROUND}`;
    tell(
      `${fc.defaultReportMessage(result)}\n${result.errorInstance}\nAgain: npm run fuzz -- ${flag} --seed ${seed + round} --database ${values.database} --access ${values.access}`,
    );
  }
  const seconds = ((performance.now() - began) / 1000).toFixed(0);
  tell(`${face}, ${values.database} database, ${values.access} access: ${done} cases of seed ${seed} in ${seconds} s`);
  for (const [kind, counts] of [...statuses].sort()) {
    const told = [...counts].sort(([one], [other]) => one - other).map(([status, count]) => `${count} x ${status}`);
    tell(`  ${kind}: ${told.join(', ')}`);
  }
}

/** Each round has a seed of its own, and is the first round of that seed. */
async function runRound<T extends { readonly kind: Kind }>(
  cases: fc.Arbitrary<T>,
  numRuns: number,
  seed: number,
  check: (one: T) => Promise<number>,
  statuses: Statuses,
): Promise<fc.RunDetails<[T]>> {
  let hasFailed = false;
  await restore();
  const property = fc.asyncProperty(cases, async (one) => {
    // What is tried to make a failing case smaller begins with the same rows, too.
    if (hasFailed) await restore();
    try {
      const status = await check(one);
      if (!hasFailed) count(statuses, one.kind, status);
    } catch (error) {
      hasFailed = true;
      throw error;
    }
  });
  return fc.check(property, { numRuns, seed, interruptAfterTimeLimit: 120_000 });
}

async function restore(): Promise<void> {
  await target.restore();
  await checks.look();
}

function count(statuses: Statuses, kind: Kind, status: number): void {
  const counts = statuses.get(kind) ?? new Map<number, number>();
  statuses.set(kind, counts.set(status, (counts.get(status) ?? 0) + 1));
}

function numberOf(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new Error(`${text} is no whole number.\n${HELP}`);
}

function opennessOf(text: string): Openness {
  if (text === 'open' || text === 'closed') return text;
  throw new Error(`There is no access ${text}.\n${HELP}`);
}

function databaseOf(text: string): DatabaseKind {
  if (text === 'embedded' || text === 'server') return text;
  throw new Error(`There is no database ${text}.\n${HELP}`);
}

function tell(text: string): void {
  process.stdout.write(`${text}\n`);
}
