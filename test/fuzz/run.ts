import { parseArgs } from 'node:util';
import fc from 'fast-check';
import { pino } from 'pino';
import { createApp } from '../../src/app.ts';
import { OPEN_ACCESS } from '../../src/auth/access.ts';
import { type Database, openDatabase } from '../../src/db/client.ts';
import { migrateDatabase } from '../../src/db/migrate.ts';
import { stringifyJson } from '../../src/json.ts';
import { createMetrics } from '../../src/metrics.ts';
import { seed } from '../../src/seed.ts';
import { assertFollowsContract } from '../support/contract.ts';
import { usualRules, usualSettings } from '../support/rules.ts';
import { makeTemporaryFolder } from '../support/temporary.ts';
import { type GraphQLCase, graphqlCases } from './graphql.ts';
import { type RestCase, restCases } from './rest.ts';

/** How long an answer may take, in milliseconds. */
const PATIENCE = 2_000;
const BASE = 'http://pets.example';
/** What tells whether anything has changed: how many rows there are, and all their changes together. */
const STATE = ['categories', 'pets', 'orders', 'inventory']
  .map((table) => `(select count(*) || '/' || coalesce(sum(version), 0) from ${table})`)
  .join(" || ' ' || ");

const { values } = parseArgs({
  options: {
    cases: { type: 'string', default: '2000' },
    graphql: { type: 'string' },
    seed: { type: 'string', default: '1' },
  },
});
const [restRuns, graphqlRuns] = [Number(values.cases), Number(values.graphql ?? Number(values.cases) / 2)];
if (!(restRuns >= 1 && graphqlRuns >= 1)) throw new Error('--cases and --graphql must be numbers from 1.');

const folder = makeTemporaryFolder();
const database = await openDatabase({ url: undefined, folder: folder.path, timeout: usualSettings.REQUEST_TIMEOUT });
await migrateDatabase(database);
await seed(database, 30, () => {});
const app = createApp({
  database,
  settings: usualSettings,
  access: OPEN_ACCESS,
  rules: usualRules,
  metrics: createMetrics(),
  logger: pino({ level: 'silent' }),
});
let [passed, failed] = [0, 0];
process.on('unhandledRejection', (error) => {
  failed++;
  process.stdout.write(`An unhandled rejection: ${error}\n`);
});

await fuzz('REST', restCases, restRuns, checkRest);
await fuzz('GraphQL', graphqlCases, graphqlRuns, checkGraphQL);
await app.flush();
await database.close();
folder.remove();
process.stdout.write(`${passed} passed, ${failed} failed\n`);
if (failed > 0) process.exitCode = 1;

async function fuzz<T>(name: string, cases: fc.Arbitrary<T>, runs: number, check: (one: T) => Promise<number>) {
  const statuses = new Map<number, number>();
  const began = performance.now();
  const result = await fc.check(
    fc.asyncProperty(cases, async (one) => {
      const status = await check(one);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }),
    { numRuns: runs, seed: Number(values.seed), endOnFailure: false },
  );
  const seconds = ((performance.now() - began) / 1000).toFixed(0);
  const told = [...statuses].sort(([one], [other]) => one - other).map(([status, count]) => `${count} x ${status}`);
  process.stdout.write(`${name}: ${result.numRuns} cases of seed ${values.seed} in ${seconds} s: ${told.join(', ')}\n`);
  if (result.failed) {
    failed++;
    process.stdout.write(`${fc.defaultReportMessage(result)}\n`);
  }
  passed += result.numRuns - (result.failed ? 1 : 0);
}

async function checkRest({ method, path, headers, body }: RestCase): Promise<number> {
  const before = await stateOf(database);
  const hasBody = body !== undefined && method !== 'GET' && method !== 'HEAD';
  const response = await inTime(app.fetch(new Request(BASE + path, { method, headers, ...(hasBody && { body }) })));
  const text = await response.text();
  if (response.status >= 500) throw new Error(`${response.status}: ${text}`);
  // A browser gets the page of what a program gets as JSON.
  const isPage = response.headers.get('content-type')?.startsWith('text/html');
  if (!isPage) assertFollowsContract(method, path, response, text);
  if (response.status >= 300) await assertUnchanged(before);
  return response.status;
}

async function checkGraphQL({ query, variables }: GraphQLCase): Promise<number> {
  const before = await stateOf(database);
  const request = { method: 'POST', headers: { 'content-type': 'application/json' } };
  const body = stringifyJson({ query, variables });
  const response = await inTime(app.fetch(new Request(`${BASE}/graphql`, { ...request, body })));
  const answer = (await response.json()) as {
    data?: unknown;
    errors?: { message: string; extensions: { code: string; status: number } }[];
  };
  if (response.status >= 500) throw new Error(`${response.status}: ${JSON.stringify(answer)}`);
  for (const { message, extensions } of answer.errors ?? []) {
    if (!(extensions.status < 500)) throw new Error(`${extensions.code}: ${message}`);
    if (/Variable "\$\w+" got|select |insert |violates/.test(message)) throw new Error(`A tool's words: ${message}`);
  }
  if (answer.data === undefined) await assertUnchanged(before);
  return answer.errors?.[0]?.extensions.status ?? response.status;
}

async function assertUnchanged(before: unknown): Promise<void> {
  const after = await stateOf(database);
  if (after !== before) throw new Error(`A refused request has changed something: ${before} -> ${after}`);
}

async function stateOf(from: Database): Promise<unknown> {
  const [[state] = []] = await from.transaction((query) => query(`select ${STATE}`, []));
  return state;
}

async function inTime(answering: Promise<Response>): Promise<Response> {
  const late = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error(`No answer within ${PATIENCE} ms.`)), PATIENCE).unref();
  });
  return Promise.race([answering, late]);
}
