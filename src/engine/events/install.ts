import type { PgTable } from 'drizzle-orm/pg-core';
import type { Database } from '../db/client.ts';
import type { Query } from '../db/driver.ts';
import { assertColumns, type OnWait, withMigrationLock } from '../db/migrate.ts';
import { PUBLISH_BODY } from './publish.ts';
import type { EventSource } from './source.ts';
import { triggersOf } from './triggers.ts';

/** The transition tables of the triggers: the table's name stands for its changed rows. */
const TRANSITIONS = {
  insert: 'new table as "%"',
  update: 'new table as "%" old table as before',
  delete: 'old table as "%"',
};

/**
 * Makes the cursors of all readers invalid. The epoch is the time, in seconds since 2025: counting up, two restores of the
 * same backup would have the same one. The outbox is read from its beginning again, as a copy may have been made without its sequence.
 */
export const RAISE_EPOCH = `update feed
  set epoch = greatest(epoch + 1, extract(epoch from now() - '2025-01-01Z'::timestamptz)::integer), finished = 0, ending = null`;

/**
 * Creates the triggers that record the changes of the sources, or drops them if `events` is off. Several processes may
 * call it at the same time. It locks a table only to create or drop its triggers. Returns the number of changed definitions.
 * Throws if a table lacks columns of the sources.
 *
 * @param sources causes before effects, as the events of one statement are published
 */
export async function installEvents(
  database: Database,
  sources: readonly EventSource[],
  events: 'on' | 'off',
  onWait: OnWait = () => {},
): Promise<number> {
  return withMigrationLock(database, onWait, async (query) => {
    // Triggers that name a column that a newer version has dropped would make all writes of that version fail.
    if (events === 'on') await assertColumns(query, tablesOf(sources));
    const { functions, triggers } = await missingIn(query, sources, events);
    for (const statement of [...functions, ...triggers]) await query(statement, []);
    return functions.length + triggers.length;
  });
}

function tablesOf(sources: readonly EventSource[]): ReadonlySet<PgTable> {
  return new Set(sources.flatMap(({ list }) => Object.values(list.columns).map(({ table }) => table)));
}

/**
 * @returns whether events are recorded as another version defines them: in a rolling deployment, or after a rollback
 * @throws {Error} when the triggers are missing, or should not be there; `reason` says why that is not changed here
 */
export async function assertEvents(
  database: Database,
  sources: readonly EventSource[],
  events: 'on' | 'off',
  reason: string,
): Promise<boolean> {
  const { functions, triggers } = await database.transaction((query) => missingIn(query, sources, events));
  if (triggers.length === 0) return functions.length > 0;
  throw new Error(
    `The triggers of the database do not match EVENTS=${events}, and ${reason}: run npm run db:migrate with the same EVENTS first.`,
  );
}

/** The statements that are still to be run. */
async function missingIn(query: Query, sources: readonly EventSource[], events: 'on' | 'off') {
  const { functions, tables } = await definedIn(query);
  if (events === 'off' || sources.length === 0) return { functions: [], triggers: [...tables].flatMap(dropTriggers) };
  const define = (name: string, head: string, body: string) =>
    functions.get(name) === body ? [] : [`create or replace function ${head} language plpgsql as $body$${body}$body$`];
  const sets = sources.map(triggersOf);
  return {
    functions: [
      ...define(
        'publish_changes',
        'publish_changes(most integer, out moved integer, out more boolean, out lag double precision)',
        PUBLISH_BODY,
      ),
      ...sets.flatMap(({ table, body }) => define(`${table}_events`, `"${table}_events"() returns trigger`, body)),
    ],
    triggers: [
      ...sets.flatMap(({ table }) => (tables.has(table) ? [] : createTriggers(table))),
      // Readers from before events were off would miss what was changed meanwhile, and not learn of it.
      ...(tables.size === 0 ? [functions.has('publish_changes') ? RAISE_EPOCH : `${RAISE_EPOCH} where last > 0`] : []),
    ],
  };
}

function createTriggers(table: string): string[] {
  return Object.entries(TRANSITIONS).map(
    ([event, transition]) =>
      `create or replace trigger "${table}_events_${event}" after ${event} on "${table}"
        referencing ${transition.replace('%', table)} for each statement execute function "${table}_events"()`,
  );
}

function dropTriggers(table: string): string[] {
  return Object.keys(TRANSITIONS).map((event) => `drop trigger "${table}_events_${event}" on "${table}"`);
}

/** The functions with their bodies, and the tables that have all triggers. */
async function definedIn(query: Query) {
  const functions = await query(
    `select proname::text, prosrc from pg_proc
      where pronamespace = to_regnamespace(current_schema) and (proname = 'publish_changes' or proname like '%\\_events')`,
    [],
  );
  const tables = await query(
    `select relname::text from pg_trigger join pg_class on pg_class.oid = tgrelid
      where tgname like relname || '\\_events\\_%' and tgfoid = to_regproc(quote_ident(relname || '_events'))
        and relnamespace = to_regnamespace(current_schema)
      group by relname having count(*) = ${Object.keys(TRANSITIONS).length}`,
    [],
  );
  return {
    functions: new Map(functions.map(([name, body]) => [String(name), String(body)])),
    tables: new Set(tables.map(([name]) => String(name))),
  };
}
