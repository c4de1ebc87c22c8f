import { getTableColumns, getTableName, is, mapColumnsInSQLToAlias, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { PgArray, type PgColumn, PgDialect, PgNumeric, type PgTable } from 'drizzle-orm/pg-core';
import type { EventSource } from './source.ts';

const dialect = new PgDialect();
/** How many changes a row of the outbox has at most: a value of PostgreSQL is limited to 1 GiB. */
const MAX_IN_A_ROW = 1_000;
/** The maximum length of a table's name: up to 63 bytes, the names of its triggers, such as `books_events_insert`, differ. */
const LONGEST_NAME = 54;
/** ISO 8601, as a format of PostgreSQL. */
const INSTANT = 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"';

/**
 * The table of a source, and the body of the function of its triggers, which write its changes into the outbox. They run
 * once per statement, on its transition tables: the table's name stands for the rows after the change (before it, if they
 * are deleted), `before` for those before an update. `rank` orders the events of a statement that changes several tables.
 * Other names begin with an underscore where columns are in scope, which may have any name.
 */
export function triggersOf(source: EventSource, rank: number) {
  const { list, created, updated, deleted } = source;
  const [table] = list.tables as readonly [PgTable];
  const name = getTableName(table);
  const { version } = getTableColumns(table);
  if (version === undefined) throw new Error(`Changes of ${name} cannot be events, because it has no version.`);
  if (Buffer.byteLength(name) > LONGEST_NAME)
    throw new Error(`Changes of ${name} cannot be events, because its name has more than ${LONGEST_NAME} bytes.`);
  const isListed = sql`(${list.id} is not null and ${list.where ?? sql`true`})`;
  const wasListed = asBefore(isListed);
  const image = imageAs('_image', list, (column) => imageOf(column));
  const imageBefore = imageAs('_image_before', list, (column) =>
    column.table === table ? asBefore(imageOf(column)) : imageOf(column),
  );
  const types = updated.map((type) =>
    'when' in type ? sql`when ${type.when} then ${type.name}` : sql`else ${type.name}`,
  );
  const typeOfUpdate = sql`case
      when ${isListed} is not true then case when ${wasListed} then ${deleted.name} end
      when ${wasListed} is not true then ${created.name}
      when ${version} = ${asBefore(version)} then null
      ${sql.join(types, sql` `)} end`;
  // A full join is never run as a nested loop, which would take hours for a statement with a million rows: PostgreSQL
  // keeps the plan that it has made for one row.
  const withBefore = sql`${list.from} full join before on ${asBefore(list.id)} = ${list.id}`;
  const recordAll = writing(source, rank, {
    type: sql`case when ${isListed} then case tg_op when 'INSERT' then ${created.name} else ${deleted.name} end end`,
    id: sql`${list.id}`,
    data: sql`row_to_json(_image)`,
    from: sql`${list.from} ${image}`,
  });
  const recordUpdate = writing(source, rank, {
    type: typeOfUpdate,
    id: sql`coalesce(${list.id}, ${asBefore(list.id)})`,
    data: sql`case when ${isListed} then row_to_json(_image) else row_to_json(_image_before) end`,
    from: sql`${withBefore} ${image} ${imageBefore}`,
  });
  return {
    table: name,
    body: `
declare
  size integer := (select count(*) from "${name}");
  _request text;
  _requests jsonb;
begin
  if size = 0 then return null; end if;
  _request := nullif(current_setting('events.request', true), '');
  if _request like '{%' then _requests := _request; end if;
  if tg_op = 'UPDATE' then
    ${recordUpdate};
  else
    ${recordAll};
  end if;
  return null;
end`,
  };
}

/** What to write of a table's changes: their rows are those of `from`, and a change without a type is no event. */
interface Changes {
  readonly type: SQL;
  readonly id: SQL;
  readonly data: SQL;
  readonly from: SQL;
}

/** All in one row of the outbox, as a row costs more than a change; or each in its own, if there is one or too many. */
function writing({ list, requestKey = list.id }: EventSource, rank: number, { type, id, data, from }: Changes): string {
  const prefix = `${list.name}/`;
  const changes = sql`(
        select ${type} as type, ${prefix} || ${id} as subject, ${data} as data,
          case when _requests is null then _request else _requests ->> ${requestKey}::text end as correlation
        from ${from}) as changed
        where type is not null`;
  const statement = sql`if size between 2 and ${MAX_IN_A_ROW} then
      insert into outbox (rank, size, types, subjects, images, correlations)
        select ${rank}, count(*), array_agg(type), array_agg(subject), array_agg(data), array_agg(correlation)
        from ${changes} having count(*) > 0;
    else
      insert into outbox (rank, type, subject, data, correlation)
        select ${rank}, type, subject, data, correlation from ${changes};
    end if`;
  return dialect.sqlToQuery(statement.inlineParams()).sql;
}

/**
 * The value of a column, or of the items of a list, in an event. As a number in JSON, a decimal would lose digits. In the
 * time zone of a session, an instant may have a year of five digits, or an offset with seconds, which `Date` does not read.
 */
function imageOf(column: PgColumn, value = sql`${column}`): SQL {
  if (is(column, PgArray)) {
    const item = imageOf(column.baseColumn, sql`item`);
    return sql`case when ${value} is not null then array(select ${item} from unnest(${value}) as item) end`;
  }
  if (is(column, PgNumeric)) return sql`${value}::text`;
  if (column.getSQLType().startsWith('timestamp')) return sql`to_char(${value} at time zone 'UTC', ${INSTANT})`;
  return value;
}

function asBefore(query: SQLWrapper): SQL {
  return mapColumnsInSQLToAlias(sql`${query}`, 'before');
}

/** A part of a `from` that names a row whose columns are the fields of an event's data. */
function imageAs(
  name: string,
  { columns }: Pick<EventSource['list'], 'columns'>,
  toValue: (column: PgColumn) => SQL,
): SQL {
  const fields = Object.entries(columns).map(([field, column]) => sql`${toValue(column)} as ${sql.identifier(field)}`);
  return sql`cross join lateral (select ${sql.join(fields, sql`, `)}) as ${sql.identifier(name)}`;
}
