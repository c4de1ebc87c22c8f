import { getTableName, type SQL, sql } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import { storeRequestIds } from './request-id.ts';
import { versionCondition } from './version.ts';
import type { ForeignKey, WrittenField } from './written-fields.ts';

export type VersionedTable = PgTable & { readonly id: PgColumn; readonly version: PgColumn };

/** A table, and what the statements of its store have in common. */
interface Written {
  readonly table: VersionedTable;
  /** The columns that they return. */
  readonly selected: SQL;
  readonly fields: readonly WrittenField[];
  readonly foreignKeys: readonly ForeignKey[];
  /** The fields of each unique constraint and index. */
  readonly uniqueFields: ReadonlyMap<string, readonly WrittenField[]>;
}

/** The new value of the field with a key, and under `givenFields` the list of the keys that the change doesn't omit. */
type NewValueOf = (key: string) => unknown;

/** What an update sets: the given fields, and the next version if a value changes. */
export function changedFields({ table, fields }: Pick<Written, 'table' | 'fields'>, newValueOf: NewValueOf): SQL {
  return sql`${fields.map(({ name }) => name)} = row${fields.map((field) => changedField(field, newValueOf))},
    version = ${table.version} + (${before(fields)} *<> ${after(fields, newValueOf)})::integer`;
}

function changedField({ key, column }: WrittenField, newValueOf: NewValueOf): SQL {
  return column.notNull
    ? sql`coalesce(${newValueOf(key)}, ${column})`
    : sql`case when ${key} = any(${newValueOf('givenFields')}::text[]) then ${newValueOf(key)} else ${column} end`;
}

function before(fields: readonly WrittenField[]): SQL {
  return sql`row${fields.map(({ column }) => column)}::record`;
}

/** The values as their columns store them: equal values may have different texts, such as the decimals 1.0 and 1.00. */
function after(fields: readonly WrittenField[], newValueOf: NewValueOf): SQL {
  return sql`row${fields.map((field) => sql`${changedField(field, newValueOf)}::${field.type}`)}::record`;
}

/**
 * Skips a row that another one keeps from being stored, or that refers to one that may not exist: alone, it waits or fails.
 * All wait while another transaction stores a unique value of one of them.
 */
export function insertManyQuery({ table, selected, fields, foreignKeys, uniqueFields }: Written): SQL {
  const sequence = `"${getTableName(table)}_id_seq"`;
  return sql`with given as (select nextval(${sequence}) as id, item.* from ${items(fields, [])})
    ${knownRows(foreignKeys)},
    inserted as (
      insert into ${table} ${[sql`id`, ...fields.map(({ name }) => name)]} overriding system value
      select id, ${sql.join(
        fields.map(({ key }) => given(key)),
        sql`, `,
      )} from given where ${isKnown(foreignKeys)}
      ${uniqueFields.size > 0 ? sql`on conflict do nothing` : sql``} returning ${selected})
    select given.index, inserted.*, ${storeRequestIds(sql`id`)} from inserted join given using (id)`;
}

/**
 * Makes one change of each row, and skips a row that is locked, has another version, would refer to one that may not exist,
 * or would get another unique value: alone, it may wait or fail. If one violates another constraint, all fail.
 */
export function updateManyQuery({ table, selected, fields, foreignKeys, uniqueFields }: Written): SQL {
  const { parts, isFree } = freeRows(table, fields, 'no key update');
  const unique = [...new Set([...uniqueFields.values()].flat())];
  const keepsUnique = unique.length > 0 ? sql`${before(unique)} *= ${after(unique, given)}` : sql`true`;
  return sql`with ${parts} ${knownRows(foreignKeys)}
    update ${table} set ${changedFields({ table, fields }, given)} from given
    where ${isFree} and ${isKnown(foreignKeys)} and ${keepsUnique}
    returning given.index, ${selected}, ${storeRequestIds(sql`id`)}`;
}

/** The same for deletions. If another row refers to one of the rows, all fail; if that row is locked, all wait. */
export function deleteManyQuery({ table, selected }: Written): SQL {
  const { parts, isFree } = freeRows(table, [], 'update');
  return sql`with ${parts} delete from ${table} using given where ${isFree}
    returning given.index, ${selected}, ${storeRequestIds(sql`id`)}`;
}

/**
 * Parts of a statement that lock the rows of different ids, and its condition for those that no other transaction has
 * locked, with the expected version.
 *
 * @param strength the lock that the statement takes itself, so that it waits for no other transaction
 */
function freeRows(table: VersionedTable, fields: readonly WrittenField[], strength: 'update' | 'no key update') {
  const own = [sql`id bigint`, sql`"expectedVersion" bigint[]`, sql`"givenFields" text[]`];
  return {
    parts: sql`given as (select distinct on (id) * from ${items(fields, own)} order by id, index),
      free as (
        select ${table.id} as id from ${table} where ${table.id} = any(array(select id from given))
        order by id for ${sql.raw(strength)} skip locked)`,
    isFree: sql`${table.id} = any(array(select id from free)) and ${table.id} = given.id
      and ${versionCondition(table.version, given('expectedVersion'))}`,
  };
}

function given(key: string): SQL {
  return sql`given.${sql.identifier(key)}`;
}

/** The rows of the placeholder `rows`, with further columns. */
function items(fields: readonly WrittenField[], own: readonly SQL[]): SQL {
  const columns = fields.map(({ key, type }) => sql`${sql.identifier(key)} ${type}`);
  return sql`json_to_recordset(${sql.placeholder('rows')}::text::json)
    as item${[sql`index integer`, sql`"requestId" text`, ...own, ...columns]}`;
}

/** Further parts that lock the rows which those of `given` refer to. */
function knownRows(foreignKeys: readonly ForeignKey[]): SQL {
  const parts = foreignKeys.map(
    ({ key, target, targetId }, n) => sql`, ${sql.raw(`known${n}`)} as (
      select ${targetId} as id from ${target} where ${targetId} = any(array(select ${given(key)} from given))
      order by id for key share skip locked)`,
  );
  return sql.join(parts, sql``);
}

function isKnown(foreignKeys: readonly ForeignKey[]): SQL {
  const conditions = foreignKeys.map(
    ({ key }, n) => sql`(${given(key)} is null or ${given(key)} in (select id from ${sql.raw(`known${n}`)}))`,
  );
  return sql.join([sql`true`, ...conditions], sql` and `);
}
