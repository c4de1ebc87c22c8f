import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import fc from 'fast-check';
import { createChecks } from './checks.ts';
import type { Asked } from './documents.ts';
import { checkZooDocument, ignoringAbandonedRejections, zooDocuments } from './equivalence.ts';
import { graphqlCases } from './graphql.ts';
import { checkStoreDocument, storeDocuments } from './repeated.ts';
import { restCases } from './rest.ts';
import { type DatabaseKind, type Openness, startTarget } from './target.ts';

/** The cases that start with the same rows: few enough to keep rows to the end, and to repeat a round quickly. */
const ROUND = 250;
/** The number of failed rounds after which the run ends. */
const MAX_FAILURES = 10;
const HELP =
  'npm run fuzz -- [--cases N] [--graphql N] [--documents N] [--seed N|random] [--database embedded|server] [--access open|closed]';

/** The number of each outcome, by the kind of case. */
type Outcomes = Map<string, Map<number | string, number>>;

/** A generator of cases, and how to check each. */
interface Contender<T> {
  readonly name: string;
  readonly cases: fc.Arbitrary<T>;
  readonly runs: number;
  /** The options that run it alone. */
  readonly alone: string;
  kindOf(one: T): string;
  /** Gives the outcome; rejects with the mistake. */
  check(one: T): Promise<number | string>;
}

const { values } = parseArgs({
  options: {
    cases: { type: 'string', default: '2000' },
    graphql: { type: 'string' },
    documents: { type: 'string', default: '500' },
    seed: { type: 'string' },
    database: { type: 'string', default: 'embedded' },
    access: { type: 'string', default: 'open' },
  },
});
const restRuns = numberOf(values.cases);
const graphqlRuns = values.graphql === undefined ? Math.ceil(restRuns / 2) : numberOf(values.graphql);
const documentRuns = numberOf(values.documents);
/** A tenth, because each is sent a dozen times. */
const storeRuns = Math.ceil(documentRuns / 10);
const random = randomInt(1e9);
/** By default one half has a fixed seed, and the other a random one. */
const seeds = values.seed === undefined ? [1, random] : [values.seed === 'random' ? random : numberOf(values.seed)];

const target = await startTarget(databaseOf(values.database), opennessOf(values.access));
const checks = createChecks(target);
let [passed, failed] = [0, 0];
process.on('unhandledRejection', (error) => {
  failed++;
  print(`An unhandled rejection: ${error}`);
});

for (const seed of seeds) {
  await fuzz(seed, {
    name: 'REST',
    cases: restCases,
    runs: restRuns,
    alone: `--cases ${ROUND} --graphql 0 --documents 0`,
    kindOf: ({ kind }) => kind,
    check: checks.rest,
  });
  await fuzz(seed, {
    name: 'GraphQL',
    cases: graphqlCases,
    runs: graphqlRuns,
    alone: `--cases 0 --graphql ${ROUND} --documents 0`,
    kindOf: ({ kind }) => kind,
    check: checks.graphql,
  });
  const aboutZoo: Contender<Asked> = {
    name: 'Documents about a zoo',
    cases: zooDocuments,
    runs: documentRuns,
    alone: `--cases 0 --documents ${ROUND}`,
    kindOf: () => 'valid',
    check: checkZooDocument,
  };
  await ignoringAbandonedRejections(() => fuzz(seed, aboutZoo));
  await fuzz(seed, {
    name: 'Documents about pets',
    cases: storeDocuments,
    runs: storeRuns,
    alone: `--cases 0 --documents ${ROUND * 10}`,
    kindOf: () => 'valid',
    check: (asked) => checkStoreDocument(asked, target),
  });
}
await target.close();
print(`${passed} passed, ${failed} failed`);
if (failed > 0) process.exitCode = 1;

async function fuzz<T>(seed: number, contender: Contender<T>): Promise<void> {
  const runs = Math.ceil(contender.runs / seeds.length);
  const outcomes: Outcomes = new Map();
  const began = performance.now();
  let done = 0;
  for (let round = 0, failures = 0; done < runs && failures < MAX_FAILURES; round++) {
    const result = await runRound(contender, Math.min(ROUND, runs - done), seed + round, outcomes);
    done += result.numRuns;
    passed += result.numRuns - (result.failed ? 1 : 0);
    if (!result.failed) continue;
    failures++;
    failed++;
    print(
      `${fc.defaultReportMessage(result)}\n${result.errorInstance}\nAgain: npm run fuzz -- ${contender.alone} --seed ${seed + round} --database ${values.database} --access ${values.access}`,
    );
  }
  const seconds = ((performance.now() - began) / 1000).toFixed(0);
  print(
    `${contender.name}, ${values.database} database, ${values.access} access: ${done} cases of seed ${seed} in ${seconds} s`,
  );
  for (const [kind, counts] of [...outcomes].sort()) {
    const sorted = [...counts].sort(([one], [other]) => (one < other ? -1 : 1));
    print(`  ${kind}: ${sorted.map(([outcome, count]) => `${count} x ${outcome}`).join(', ')}`);
  }
}

/** Each round has a seed of its own, and starts with the same rows as the first. */
async function runRound<T>(
  { cases, kindOf, check }: Contender<T>,
  numRuns: number,
  seed: number,
  outcomes: Outcomes,
): Promise<fc.RunDetails<[T]>> {
  let hasFailed = false;
  await restore();
  const property = fc.asyncProperty(cases, async (one) => {
    // Also while a failing case is made smaller.
    if (hasFailed) await restore();
    try {
      const outcome = await check(one);
      if (!hasFailed) count(outcomes, kindOf(one), outcome);
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

function count(outcomes: Outcomes, kind: string, outcome: number | string): void {
  const counts = outcomes.get(kind) ?? new Map<number | string, number>();
  outcomes.set(kind, counts.set(outcome, (counts.get(outcome) ?? 0) + 1));
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

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
