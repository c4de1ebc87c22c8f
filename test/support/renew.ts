import type { Query } from '../../src/engine/db/driver.ts';

/** What a database was like when it was new. */
export interface Origin {
  /** A digest of its definitions, settings and rows. */
  readonly state: string;
  readonly tables: readonly string[];
  /** The rows of those tables that are not empty, as JSON. */
  readonly rows: ReadonlyMap<string, string>;
}

/** The tables of the service. */
const OWN = `select quote_ident(nspname) || '.' || quote_ident(relname) from pg_class
  join pg_namespace on pg_namespace.oid = relnamespace where relkind = 'r' and pg_class.oid >= 16384`;
const TABLES = `${OWN} order by 1`;
const USED = `${OWN} and pg_relation_size(pg_class.oid) > 0`;

/** What defines a database, its sessions and its plans, without what changes by itself, such as sizes. */
const DEFINITIONS = [
  `select oid, relname, relnamespace, relam, relkind, relpersistence, relhasindex, relnatts, relchecks, relhastriggers,
    relrowsecurity, reloptions from pg_class where oid >= 16384`,
  'select * from pg_attribute where attrelid >= 16384',
  'select * from pg_index where indexrelid >= 16384',
  ...['attrdef', 'constraint', 'namespace', 'policy', 'proc', 'rewrite', 'trigger', 'type'].map(
    (name) => `select * from pg_${name} where oid >= 16384`,
  ),
  'select * from pg_sequences',
  'select * from pg_roles',
  'select * from pg_db_role_setting',
  "select * from pg_stats where schemaname not in ('pg_catalog', 'information_schema')",
  "select name, setting from pg_settings where source = 'session'",
  'select name from pg_prepared_statements where from_sql',
  "select mode from pg_locks where locktype = 'advisory'",
  'select pg_listening_channels()',
  // The sessions of others that still use the database.
  'select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
];

/** Restarts the sequences of the tables that were empty. */
const RESTART = `select setval(format('%I.%I', schemaname, sequencename)::regclass, start_value, false)
  from pg_sequences where last_value is not null and schemaname = 'public'`;

/** Notes what a new database is like. */
export async function originOf(query: Query): Promise<Origin> {
  const tables = (await query(TABLES, [])).map(([name]) => String(name));
  const rows = new Map<string, string>();
  for (const table of tables) {
    const [[content] = []] = await query(`select json_agg(t)::text from ${table} t`, []);
    if (typeof content === 'string') rows.set(table, content);
  }
  return { state: await stateOf(query, tables), tables, rows };
}

/** Gives a database the rows that it had when it was new, and says whether it is as it was then, in all else too. */
export async function renew(query: Query, { state, tables, rows }: Origin): Promise<boolean> {
  // Only those that take space: to truncate one takes a millisecond and more.
  const used = (await query(USED, [])).map(([table]) => String(table)).filter((table) => !rows.has(table));
  if (used.length > 0) await query(`truncate ${used.join(', ')} cascade`, []);
  await query(RESTART, []);
  for (const [table, content] of rows) {
    await query(`truncate ${table}`, []);
    await query(`insert into ${table} select * from json_populate_recordset(null::${table}, $1::text::json)`, [
      content,
    ]);
  }
  return (await stateOf(query, tables)) === state;
}

async function stateOf(query: Query, tables: readonly string[]): Promise<string> {
  const parts = [...DEFINITIONS, ...tables.map((table) => `select * from ${table}`)].map(
    (part, n) => `select ${n} as part, one::text as content from (${part}) as one`,
  );
  const digest = 'md5(string_agg(part || content, chr(10) order by part, content))';
  const [[state] = []] = await query(`select ${digest} from (${parts.join(' union all ')}) as every`, []);
  return String(state);
}
