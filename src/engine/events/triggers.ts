import { getTableColumns, getTableName, mapColumnsInSQLToAlias, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { PgDialect, type PgTable } from 'drizzle-orm/pg-core';
import type { EventSource } from './source.ts';

/** A trigger function and its triggers. */
export interface TriggerSet {
  readonly table: string;
  /** The name of the function, and the prefix of its triggers' names. */
  readonly name: string;
  /** The body of the function, in PL/pgSQL. */
  readonly body: string;
}

const dialect = new PgDialect();

/**
 * The triggers that write the changes of a source's table into the outbox. They run once per statement, on its
 * transition tables: the table's name stands for the rows after the change (before it, if they are deleted), `before`
 * for those before an update.
 *
 * @param rank orders the events of a statement that changes several tables
 */
export function triggersOf(source: EventSource, rank: number): TriggerSet {
  const { list, created, updated, deleted, requestKey = list.id } = source;
  const [table] = list.tables as readonly [PgTable];
  const name = getTableName(table);
  const { version } = getTableColumns(table);
  if (version === undefined) throw new Error(`Changes of ${name} cannot be events, because it has no version.`);
  const isListed = sql`(${list.id} is not null and ${list.where ?? sql`true`})`;
  const wasListed = asBefore(isListed);
  const image = Object.entries(list.columns);
  const imageBefore = image.map(
    ([field, column]) => [field, column.table === table ? asBefore(column) : column] as const,
  );
  const types = updated.map((type) =>
    'when' in type ? sql`when ${type.when} then ${literal(type.name)}` : sql`else ${literal(type.name)}`,
  );
  const typeOfUpdate = sql`case
      when ${isListed} is not true then case when ${wasListed} then ${literal(deleted.name)} end
      when ${wasListed} is not true then ${literal(created.name)}
      when ${version} = ${asBefore(version)} then null
      ${sql.join(types, sql` `)} end`;
  // A full join is never run as a nested loop, which would take hours for a statement with a million rows: PostgreSQL
  // keeps the plan that it has made for one row.
  const withBefore = sql`${list.from} full join before on ${asBefore(list.id)} = ${list.id}`;
  const record = (type: SQL, data: SQL, from: SQL) =>
    textOf(sql`insert into outbox (rank, type, subject, data, correlation)
      select ${sql.raw(String(rank))}, type, ${literal(`${list.name}/`)} || id, data,
        case when request like '{%' then (select request::jsonb) ->> key::text else request end
      from (select ${type} as type, ${list.id} as id, ${data} as data, ${requestKey} as key from ${from}) as changed
      where type is not null`);
  const recordAll = (type: string) =>
    record(sql`case when ${isListed} then ${literal(type)} end`, json(image), list.from);
  const dataOfUpdate =
    list.where === undefined
      ? json(image)
      : sql`case when ${isListed} then ${json(image)} else ${json(imageBefore)} end`;
  return {
    table: name,
    name: `${name}_events`,
    body: `
declare
  request text := nullif(current_setting('events.request', true), '');
begin
  if tg_op = 'INSERT' then
    ${recordAll(created.name)};
  elsif tg_op = 'DELETE' then
    ${recordAll(deleted.name)};
  elsif exists (select from before) then
    ${record(typeOfUpdate, dataOfUpdate, withBefore)};
  end if;
  return null;
end`,
  };
}

function asBefore(query: SQLWrapper): SQL {
  return mapColumnsInSQLToAlias(sql`${query}`, 'before');
}

function json(image: readonly (readonly [field: string, column: SQLWrapper])[]): SQL {
  const parts = image.flatMap(([field, column]) => [literal(field), sql`${column}`]);
  return sql`json_build_object(${sql.join(parts, sql`, `)})`;
}

function literal(text: string): SQL {
  return sql.raw(`'${text}'`);
}

/** The text of a query without parameters. */
function textOf(query: SQL): string {
  return dialect.sqlToQuery(query).sql;
}
