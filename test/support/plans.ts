import type { Database } from '../../src/engine/db/client.ts';
import type { Parameter, Query } from '../../src/engine/db/driver.ts';
import { seed } from '../../src/petstore/seed.ts';
import { startTestApp, type TestApp } from './app.ts';
import { type Sent, watched } from './watched.ts';

const SEEDED_PETS = 20_000;
/** The tables that grow with use. A shop has few categories, so scanning them may be cheapest. */
const TABLES = ['pets', 'orders', 'inventory', 'lifecycle_uses', 'events', 'deliveries'];

/**
 * PostgreSQL plans a prepared statement for the values of each of its first runs, and then once for all values if that
 * plan seems no worse.
 */
export const PLANNINGS = ['force_custom_plan', 'force_generic_plan'] as const;

/** Statements of no request: savepoints, and the periodic looks at the sizes of tables and at what to deliver. */
const BESIDE =
  /^(savepoint|rollback)\b|pg_relation_size|^update "webhooks" set owner|^select exists \(select from "webhooks"/;

/** A step of an executed plan, in the format of EXPLAIN. */
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

/** How a statement finds its rows. */
export interface Plan {
  readonly planning: (typeof PLANNINGS)[number];
  /** Its steps as text, from the last to the first, each with its number of rows. */
  readonly words: string;
  /** The number of rows that were read from tables, including those that were filtered out. */
  readonly rowsRead: number;
  /** The number of pages that were read from tables and indexes; without those of the catalog, which are cached at times. */
  readonly pagesRead: number;
  /** The maximum number of rows that one of its steps sorts. */
  readonly rowsSorted: number;
  /** The number of sequential scans of growing tables, including those of foreign key checks. */
  readonly scans: number;
}

export interface ExplainedApp extends TestApp {
  /** The plans of all statements of the work, each planned both ways. */
  plansOf(work: () => Promise<unknown>): Promise<Plan[]>;
  /** The database as the app has it: its statements have plans. */
  readonly planned: Database;
}

/** The app over a database with enough rows for PostgreSQL to have a choice. */
export async function startExplainedApp(): Promise<ExplainedApp> {
  let plans: Plan[] | undefined;
  let planned: Database | undefined;
  const app = await startTestApp({}, {}, (database) => {
    planned = watched(database, async (sent, run, own) => {
      const wanted = BESIDE.test(sent.text) ? undefined : plans;
      for (const planning of wanted === undefined ? [] : PLANNINGS) {
        wanted?.push(await explain(own === undefined ? inTransaction(database) : inSavepoint(own), sent, planning));
      }
      return run();
    });
    return planned;
  });
  await fill(app.database);
  return {
    ...app,
    planned: planned as unknown as Database,
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
    // A rare value needs an index; a frequent one is found soon anyway.
    await query("update pets set status = 'available' where status = 'pending' and id % 1000 > 10", []);
    await query('update orders set complete = id % 200 = 0', []);
    await query('update inventory set quantity = null where pet_id % 10 <> 1 and pet_id % 1000 <> 6', []);
    await query('update pets set category_id = 13 where id % 1000 = 1', []);
    await query(
      `insert into lifecycle_uses (coordinate, day, client, uses, last_seen)
        select 'Query.pet', current_date - n % 360, 'client ' || n, 1, now() from generate_series(1, 60000) as n`,
      [],
    );
    await query(
      `insert into webhooks (url, enabled, secret, position, created_at)
        select 'https://shop.example/', false, 'whsec_', 1000000, now() from generate_series(1, 90)`,
      [],
    );
    await query(
      `insert into deliveries (webhook_id, epoch, position, type, subject, status, due_at, last_attempt_at)
        select 1 + n % 5, 1, n, 'pet.created', 'pets/' || n % 2000, status, case when n % 7 = 0 and status = 'pending' then now() end, now()
        from generate_series(1, 60000) as n,
          lateral (select case when n % 5000 = 2 then 'failed' when n % 3 = 0 then 'pending' else 'delivered' end as status) as one`,
      [],
    );
    await query('analyze', []);
  });
}

/** Runs a statement as the service does, gives its plan, and rolls it back. */
async function explain(tried: Tried, { text, parameters, kind }: Sent, planning: Plan['planning']): Promise<Plan> {
  let plan: Plan | undefined;
  await tried(async (query) => {
    const countScans = async () => Number((await query(SCANS, [`{${TABLES}}`]))[0]?.[0]);
    await query(`set local plan_cache_mode = ${planning}`, []);
    // The connections for all but counts have this setting.
    if (kind !== 'count') await query('set local enable_seqscan = off', []);
    await query(`prepare tried as ${text}`, []);
    const before = await countScans();
    const values = parameters.length === 0 ? '' : `(${parameters.map(literal).join(', ')})`;
    const [[explained] = []] = await query(
      `explain (analyze, buffers, timing off, format json) execute tried${values}`,
      [],
    );
    const scans = (await countScans()) - before;
    await query('deallocate tried', []);
    const [{ Plan: step }] = (typeof explained === 'string' ? JSON.parse(explained) : explained) as [{ Plan: Step }];
    plan = { planning, scans, ...read(step) };
  });
  return plan as Plan;
}

/** Runs the work, and rolls it back. */
type Tried = (work: (query: Query) => Promise<void>) => Promise<void>;

function inTransaction(database: Database): Tried {
  const rollback = new Error('The work is rolled back.');
  return async (work) => {
    const rolledBack = database.transaction(async (query) => {
      await work(query);
      throw rollback;
    });
    await rolledBack.catch((error: unknown) => {
      if (error !== rollback) throw error;
    });
  };
}

function inSavepoint(query: Query): Tried {
  return async (work) => {
    await query('savepoint rolledBack', []);
    await work(query);
    await query('rollback to savepoint rolledBack', []);
  };
}

const SCANS =
  'select coalesce(sum(seq_scan), 0)::text from pg_stat_xact_user_tables where relname = any($1::text[]::name[])';

function read(root: Step): Pick<Plan, 'words' | 'rowsRead' | 'pagesRead' | 'rowsSorted'> {
  const steps = [...stepsOf(root)];
  const ofTables = steps.filter((step) => step['Relation Name'] !== undefined && step['Node Type'].endsWith('Scan'));
  const sorts = steps.filter((step) => step['Node Type'].endsWith('Sort'));
  return {
    words: steps.map(describeStep).join(' <- '),
    pagesRead: ofTables.reduce((sum, step) => sum + step['Shared Hit Blocks'] + step['Shared Read Blocks'], 0),
    rowsRead: ofTables.reduce((sum, step) => sum + rowsOf(step), 0),
    rowsSorted: Math.max(0, ...sorts.flatMap(({ Plans = [] }) => Plans.map(rowsOf))),
  };
}

function* stepsOf(step: Step): Iterable<Step> {
  yield step;
  for (const part of step.Plans ?? []) yield* stepsOf(part);
}

/** The rows that it returned and those that it filtered out; EXPLAIN has the average of its runs. */
function rowsOf(step: Step): number {
  const thrownAway = (step['Rows Removed by Filter'] ?? 0) + (step['Rows Removed by Index Recheck'] ?? 0);
  return Math.round((step['Actual Rows'] + thrownAway) * step['Actual Loops']);
}

function describeStep(step: Step): string {
  return [step['Node Type'], step['Relation Name'], `(${rowsOf(step)})`].filter(Boolean).join(' ');
}

function literal(value: Parameter): string {
  return value === null ? 'null' : `'${String(value).replaceAll("'", "''")}'`;
}
