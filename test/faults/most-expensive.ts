import { randomInt } from 'node:crypto';
import fc from 'fast-check';
import { median } from '../bench/measure/statistics.ts';
import { graphqlCases } from '../fuzz/graphql.ts';
import { openApi } from '../support/contract.ts';
import { type Caller, callerFrom, many, type Reply } from './caller.ts';
import { type Spent, spentBy } from './cost.ts';
import { onFilledService } from './filled-service.ts';
import type { Finding, Scenario, Size } from './finding.ts';

/** A request whose cost is measured. */
interface Candidate {
  readonly name: string;
  send(caller: Caller, n: number): Promise<Reply>;
}

/** The median cost of several runs, in microseconds of processor time. */
interface Cost extends Spent {
  readonly name: string;
  readonly units: number;
}

/** How often a request is sent: before the measurement, to prepare it; then; and for the most expensive ones. */
const BEFORE = 12;
const TIMES = 5;
const TIMES_AGAIN = 31;
/** The number of reads by key for the median of their cost. */
const READS = 200;
/** The maximum time that a request may block all others, in milliseconds. */
const MAX_HOLD = 100;
/** The number of the most expensive requests that are measured again, to rule out chance. */
const AGAIN = 10;
const REPORTED = 3;
/** A rate limit that is never reached. */
const PLENTY = '100000000/60s';

interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly schema: { readonly type: string; readonly enum?: readonly string[]; readonly items?: Parameter['schema'] };
}

/** Filter values by the name of the filter: with many rows, few, or none. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  id: ['1', '299000', '0', ...Array.from({ length: 3 }, (_, n) => `${1 + n * 997}`)],
  petId: ['7', '19000', '0'],
  categoryId: Array.from({ length: 12 }, (_, n) => `${n + 1}`),
  name: ['m', 'Zoe', 'zz', 'D'],
  limit: ['1', '20', '100'],
  complete: ['true', 'false'],
  shipDateFrom: ['2020-01-01T00:00:00Z', '2035-01-01T00:00:00Z'],
  shipDateTo: ['2020-01-01T00:00:00Z', '2035-01-01T00:00:00Z'],
};

/** Lists with any filters and sorts of the description. */
const lists: fc.Arbitrary<Candidate> = fc
  .constantFrom(
    ...Object.entries(openApi.paths).flatMap(([path, { get }]) => {
      const parameters = ((get as { parameters?: readonly Parameter[] } | undefined)?.parameters ?? []).map(resolve);
      return parameters.some(({ name }) => name === 'limit') ? [{ path, parameters }] : [];
    }),
  )
  .chain(({ path, parameters }) => fc.tuple(fc.constant(path), ...parameters.map(pairsOf)))
  .map(([path, ...pairs]) => {
    const address = `${path}?${(pairs as string[]).filter(Boolean).join('&')}`;
    return { name: `GET ${address}`, send: ({ send }) => send('GET', address) };
  });

function resolve(parameter: Parameter): Parameter {
  if (parameter.$ref === undefined) return parameter;
  const path = parameter.$ref.replace('#/', '').split('/');
  return path.reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], openApi) as Parameter;
}

function pairsOf({ name, in: place, schema }: Parameter): fc.Arbitrary<string> {
  const { items } = schema;
  const values = (items ?? schema).enum ?? VALUES[name];
  if (place !== 'query' || values === undefined) return fc.constant('');
  const one = fc.constantFrom(...values).map((value) => `${name}=${encodeURIComponent(value)}`);
  if (items === undefined) return fc.oneof(fc.constant(''), one);
  const several = fc.subarray([...values], { minLength: 1 });
  return fc.oneof(
    fc.constant(''),
    several.map((all) => all.map((value) => `${name}=${value}`).join('&')),
  );
}

/** Valid queries: half of the operations of the fuzzer. */
const documents: fc.Arbitrary<Candidate> = graphqlCases
  .filter(({ kind, query }) => kind === 'valid' && typeof query === 'string' && query.startsWith('query'))
  .map(({ query, variables, operationName }) => ({
    name: `${query} ${JSON.stringify(variables)}`,
    send: ({ send }) => send('POST', '/graphql', { query, variables, operationName }),
  }));

const CONNECTIONS: Readonly<Record<string, readonly string[]>> = {
  pets: ['', 'status: [available, pending, sold]', 'name: "m"', 'status: sold, name: "b"', 'categoryId: [1, 2, 3]'],
  categories: ['', 'name: "D"'],
  orders: ['', 'complete: false', 'petId: [7]'],
  inventory: ['', 'status: [available, pending, sold]', 'status: sold', 'petId: [1, 2, 3]'],
};

/** Requests that were expensive once, or are meant to be. */
const written: readonly Candidate[] = [
  ...Object.entries(CONNECTIONS).flatMap(([list, filters]) =>
    filters.map((filter) => asking(`{ ${list}(first: 1${filter && `, ${filter}`}) { totalCount } }`)),
  ),
  asking('{ categories(first: 20) { nodes { pets(first: 1) { totalCount } } } }'),
  asking(
    '{ pets(first: 100) { nodes { orders(first: 1) { totalCount } category { pets(first: 1) { totalCount } } } } }',
  ),
  asking(`{ ${many(190, (n) => `a${n}: pets(first: 1, categoryId: [${(n % 12) + 1}, ${n}]) { nodes { id } }`)} }`),
  asking(
    `{ ${many(190, (n) => `a${n}: order(orderId: ${n}) { id pet { id category { id } inventory { quantity } } }`)} }`,
  ),
  asking(`{ categories(first: 12) { nodes { ${many(15, (n) => `a${n}: pets(first: 100) { nodes { id } }`)} } } }`),
  asking(
    `{ pets(first: 100) { nodes { ${many(9, (n) => `a${n}: orders(first: 20) { edges { cursor node { id } } }`)} } } }`,
  ),
  { name: 'POST /pets', send: ({ send }, n) => send('POST', '/pets', { name: `New ${n}`, categoryId: 1 }) },
  { name: 'PATCH /pets/{petId}', send: ({ send }, n) => send('PATCH', `/pets/${1_000 + n}`, { name: `New ${n}` }) },
  {
    name: 'POST /categories, long',
    send: ({ send }) => send('POST', '/categories', { name: 'x', description: '\u{1F415}'.repeat(2_000) }),
  },
  {
    name: 'PUT /store/inventory/{petId}',
    send: ({ send }, n) => send('PUT', `/store/inventory/${2_000 + n}`, { quantity: 9 }),
  },
  { name: 'POST /store/orders', send: ({ send }, n) => send('POST', '/store/orders', { petId: 2_000 + n }) },
  {
    name: 'PATCH under a key',
    send: ({ send }, n) => send('PATCH', `/pets/${3_000 + n}`, { name: 'x' }, { 'idempotency-key': `once-${n}` }),
  },
];

function asking(query: string): Candidate {
  return { name: query, send: ({ graphql }) => graphql(query) };
}

export const mostExpensive: Scenario = {
  name: 'the most expensive request for a unit',
  run: (size) =>
    onFilledService(size, { RATE_LIMIT: PLENTY }, async ({ base, pid }, serverPid) => {
      const caller = callerFrom('127.0.0.2', base);
      const seed = size.seed === 'random' ? randomInt(1e9) : size.seed;
      const sample = (all: fc.Arbitrary<Candidate>) => fc.sample(all, { numRuns: size.candidates, seed });
      const spent = () => spentBy(serverPid, pid);
      const read = await readByKey(caller, spent);
      const costs: Cost[] = [];
      for (const candidate of [...written, ...sample(lists), ...sample(documents)]) {
        const cost = await costOf(candidate, caller, spent, TIMES);
        if (cost !== undefined) costs.push(cost);
      }
      const all = [...written, ...sample(lists), ...sample(documents)];
      const rated = (of: readonly Cost[]) =>
        of
          .map((cost) => ({ ...cost, reads: cost.database / cost.units / read }))
          .sort((one, other) => other.reads - one.reads);
      const again: Cost[] = [];
      for (const { name } of rated(costs).slice(0, AGAIN)) {
        const candidate = all.find((one) => one.name === name);
        const cost = candidate && (await costOf(candidate, caller, spent, TIMES_AGAIN));
        if (cost !== undefined) again.push(cost);
      }
      caller.close();
      return findings(read, rated(again), costs, { ...size, seed });
    }),
};

function findings(
  read: number,
  rated: readonly (Cost & { reads: number })[],
  costs: readonly Cost[],
  { seed, maxReads, patience }: Size,
): Finding[] {
  const slowest = [...costs].sort((one, other) => other.service - one.service);
  const shown = rated
    .slice(0, REPORTED)
    .map(({ name, reads, units }) => `${reads.toFixed(1)} for ${units} (${name.slice(0, 100)})`);
  const [maxLength] = slowest;
  const maxHold = MAX_HOLD * patience;
  return [
    {
      promise: `no unit buys more database time than ${maxReads} reads by key, of ${costs.length} requests, seed ${seed}`,
      measured: `a read takes ${read.toFixed(0)} µs; the most expensive: ${shown.join('; ')}`,
      holds: (rated[0]?.reads ?? Number.POSITIVE_INFINITY) <= maxReads,
    },
    {
      promise: `none of them takes the service longer than ${maxHold} ms`,
      measured: `${((maxLength?.service ?? 0) / 1_000).toFixed(1)} ms (${maxLength?.name.slice(0, 100)})`,
      holds: (maxLength?.service ?? Number.POSITIVE_INFINITY) < maxHold * 1_000,
    },
  ];
}

/** The database time of a read by key: the median over each kind of row. */
async function readByKey(caller: Caller, spent: () => Promise<Spent>): Promise<number> {
  const paths = ['/categories/3', '/pets/77', '/store/orders/5', '/store/inventory/7'];
  const times: number[] = [];
  for (let n = 0; n < READS; n++) {
    const before = await spent();
    await caller.send('GET', paths[n % paths.length] as string);
    const { database } = await spent();
    if (n >= READS / 4) times.push(database - before.database);
  }
  return median(times);
}

let sent = 0;

/** Undefined for a rejected request. */
async function costOf(
  { name, send }: Candidate,
  caller: Caller,
  spent: () => Promise<Spent>,
  times: number,
): Promise<Cost | undefined> {
  let last: Reply | undefined;
  for (let n = 0; n < BEFORE; n++) last = await send(caller, sent++);
  if (last === undefined || last.status >= 300 || last.text.includes('"errors"')) return undefined;
  const costs: (Spent & { units: number })[] = [];
  for (let time = 0; time < times; time++) {
    const [before, left] = [await spent(), leftAfter(last)];
    last = await send(caller, sent++);
    const after = await spent();
    const units = left - leftAfter(last);
    // A window has ended in between, so the difference has no meaning.
    if (units <= 0) continue;
    costs.push({ database: after.database - before.database, service: after.service - before.service, units });
  }
  const [first] = costs;
  if (first === undefined) return undefined;
  const { units } = first;
  return {
    name,
    units,
    database: median(costs.map((one) => one.database)),
    service: median(costs.map((one) => one.service)),
  };
}

function leftAfter({ headers }: Reply): number {
  return Number(/r=(\d+)/.exec(String(headers.ratelimit))?.[1]);
}
