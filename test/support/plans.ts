import type { Database } from '../../src/engine/db/client.ts';
import type { Parameter, Query } from '../../src/engine/db/driver.ts';
import { seed } from '../../src/petstore/seed.ts';
import { startTestApp, type TestApp } from './app.ts';
import { type Sent, watched } from './watched.ts';

export const SEEDED_PETS = 20_000;
/** Those that grow as long as the service is used. A shop has few categories: to scan them may be what costs least. */
const TABLES = ['pets', 'orders', 'inventory', 'lifecycle_uses'];

/**
 * PostgreSQL plans a prepared statement for the very values of its first runs, and later in general, once that looks
 * no worse to it.
 */
export const PLANNINGS = ['force_custom_plan', 'force_generic_plan'] as const;

/** What is of no request: marks in transactions, and the sizes of tables, which are looked at now and then. */
const BESIDE = /^(savepoint|rollback)\b|pg_relation_size/;

/** A step of a plan that was run, as EXPLAIN tells it. */
interface Step {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly Plans?: readonly Step[];
}

/** What a statement did to find its rows. */
export interface Plan {
  readonly planning: (typeof PLANNINGS)[number];
  /** Its steps in words, from the last to the first, each with its rows. */
  readonly words: string;
  /** How many rows of tables it looked at, whether or not it wanted them. */
  readonly rowsRead: number;
  /** How many pages of tables and indexes it looked at. */
  readonly pagesRead: number;
  /** The most rows that one of its steps sorts. */
  readonly rowsSorted: number;
  /** How often a table that grows was read from end to end without an index, in checks of foreign keys too. */
  readonly scans: number;
}

export interface ExplainedApp extends TestApp {
  /** The plans of all statements that the work makes the app send, each planned both ways. */
  plansOf(work: () => Promise<unknown>): Promise<Plan[]>;
}

/** The app over a database with so many rows that PostgreSQL has a choice. */
export async function startExplainedApp(): Promise<ExplainedApp> {
  let plans: Plan[] | undefined;
  const app = await startTestApp({}, {}, (database) =>
    watched(database, async (sent, run, own) => {
      const wanted = BESIDE.test(sent.text) ? undefined : plans;
      for (const planning of wanted === undefined ? [] : PLANNINGS) {
        wanted?.push(await explain(own === undefined ? inTransaction(database) : inSavepoint(own), sent, planning));
      }
      return run();
    }),
  );
  await fill(app.database);
  return {
    ...app,
    async plansOf(work) {
      const made: Plan[] = [];
      plans = made;
      await work().finally(() => {
        plans = undefined;
      });
      return made;
    },
  };
}

async function fill(database: Database): Promise<void> {
  await seed(database, SEEDED_PETS, () => {});
  await database.transaction(async (query) => {
    await query("insert into categories (name) select 'Category ' || n from generate_series(1, 6000) as n", []);
    // What is rare needs an index: of what is common enough is soon found anyway.
    await query("update pets set status = 'available' where status = 'pending' and id % 1000 > 10", []);
    await query('update orders set complete = id % 200 = 0', []);
    await query('update inventory set quantity = null where pet_id % 10 <> 1 and pet_id % 1000 <> 6', []);
    await query('update pets set category_id = 13 where id % 1000 = 1', []);
    await query(
      `insert into lifecycle_uses (coordinate, day, client, uses, last_seen)
        select 'Query.pet', current_date - n % 360, 'client ' || n, 1, now() from generate_series(1, 60000) as n`,
      [],
    );
    await query('analyze', []);
  });
}

/** Runs a statement as the service sends it, tells how that was done, and rolls it back. */
async function explain(tried: Tried, { text, parameters, kind }: Sent, planning: Plan['planning']): Promise<Plan> {
  let plan: Plan | undefined;
  await tried(async (query) => {
    const countScans = async () => Number((await query(SCANS, [`{${TABLES}}`]))[0]?.[0]);
    await query(`set local plan_cache_mode = ${planning}`, []);
    // As the connections of lists have it.
    if (kind === 'list') await query('set local enable_seqscan = off', []);
    await query(`prepare tried as ${text}`, []);
    const before = await countScans();
    const values = parameters.length === 0 ? '' : `(${parameters.map(literal).join(', ')})`;
    const [[told] = []] = await query(`explain (analyze, buffers, timing off, format json) execute tried${values}`, []);
    const scans = (await countScans()) - before;
    await query('deallocate tried', []);
    const [{ Plan: step }] = (typeof told === 'string' ? JSON.parse(told) : told) as [{ Plan: Step }];
    plan = { planning, scans, ...read(step) };
  });
  return plan as Plan;
}

/** Does the work, and rolls back what it has done. */
type Tried = (work: (query: Query) => Promise<void>) => Promise<void>;

function inTransaction(database: Database): Tried {
  const rollback = new Error('It was only tried.');
  return async (work) => {
    const trial = database.transaction(async (query) => {
      await work(query);
      throw rollback;
    });
    await trial.catch((error: unknown) => {
      if (error !== rollback) throw error;
    });
  };
}

function inSavepoint(query: Query): Tried {
  return async (work) => {
    await query('savepoint trial', []);
    await work(query);
    await query('rollback to savepoint trial', []);
  };
}

const SCANS =
  'select coalesce(sum(seq_scan), 0)::text from pg_stat_xact_user_tables where relname = any($1::text[]::name[])';

function read(root: Step): Pick<Plan, 'words' | 'rowsRead' | 'pagesRead' | 'rowsSorted'> {
  const steps = [...stepsOf(root)];
  const ofTables = steps.filter((step) => step['Relation Name'] !== undefined && step['Node Type'].endsWith('Scan'));
  const sorts = steps.filter((step) => step['Node Type'].endsWith('Sort'));
  return {
    words: steps.map(inWords).join(' <- '),
    pagesRead: root['Shared Hit Blocks'] + root['Shared Read Blocks'],
    rowsRead: ofTables.reduce((sum, step) => sum + rowsOf(step), 0),
    rowsSorted: Math.max(0, ...sorts.flatMap(({ Plans = [] }) => Plans.map(rowsOf))),
  };
}

function* stepsOf(step: Step): Iterable<Step> {
  yield step;
  for (const part of step.Plans ?? []) yield* stepsOf(part);
}

/** Those it gave and those it threw away; EXPLAIN tells the average of its runs. */
function rowsOf(step: Step): number {
  const thrownAway = (step['Rows Removed by Filter'] ?? 0) + (step['Rows Removed by Index Recheck'] ?? 0);
  return Math.round((step['Actual Rows'] + thrownAway) * step['Actual Loops']);
}

function inWords(step: Step): string {
  return [step['Node Type'], step['Relation Name'], `(${rowsOf(step)})`].filter(Boolean).join(' ');
}

function literal(value: Parameter): string {
  return value === null ? 'null' : `'${String(value).replaceAll("'", "''")}'`;
}
