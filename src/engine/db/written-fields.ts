import { getTableName, is, SQL, sql } from 'drizzle-orm';
import { getTableConfig, type PgColumn, type PgTable } from 'drizzle-orm/pg-core';
import { typeOf } from './columns.ts';

/** The keys of a statement's values that belong to no column. */
const OWN_KEYS = ['requestId', 'expectedVersion', 'givenFields', 'index'];

export type WrittenField = ReturnType<typeof fieldOf>;

/**
 * A field that a statement writes.
 *
 * @throws {Error} for a column with JSON or with a default that is no constant, or with the key of another value
 */
export function fieldOf(key: string, column: PgColumn) {
  const { default: fallback = null, hasDefault, generated, dataType, name } = column;
  if (is(fallback, SQL) || (hasDefault && fallback === null) || generated !== undefined)
    throw new Error(`${name} must have a constant for its default, or none; write a store for other columns.`);
  if (OWN_KEYS.includes(key))
    throw new Error(`${name} needs another property than ${key}, which the store has itself.`);
  if (dataType === 'json') throw new Error(`${name} must not be JSON; write a store for such columns.`);
  const type = typeOf(column);
  return {
    key,
    column,
    name: sql.identifier(name),
    type,
    fallback,
  };
}

export type ForeignKey = ReturnType<typeof foreignKeysOf>[number];

/** @throws {Error} when `references` has no name, for messages, of what a key refers to */
export function foreignKeysOf(
  table: PgTable,
  fields: readonly WrittenField[],
  references: Readonly<Record<string, string | undefined>>,
) {
  return getTableConfig(table).foreignKeys.flatMap((foreignKey) => {
    const { columns, foreignTable, foreignColumns } = foreignKey.reference();
    return columns.map((column, n) => {
      const key = fields.find((field) => field.column.name === column.name)?.key ?? column.name;
      const what = references[key];
      if (what === undefined)
        throw new Error(`The store of ${getTableName(table)} needs a name for what ${key} refers to.`);
      const targetId = foreignColumns[n] as PgColumn;
      return { constraint: storedName(foreignKey.getName()), key, target: foreignTable, targetId, what };
    });
  });
}

/** The fields whose values must be unique, by the name of the constraint or index that says so. */
export function uniqueFieldsOf(
  table: PgTable,
  fields: readonly WrittenField[],
): ReadonlyMap<string, readonly WrittenField[]> {
  const { columns, uniqueConstraints, indexes } = getTableConfig(table);
  const partsOf = (part: unknown): readonly unknown[] => (is(part, SQL) ? part.queryChunks.flatMap(partsOf) : [part]);
  const namesIn = (parts: readonly unknown[]) =>
    parts.flatMap(partsOf).map((part) => (part as { readonly name?: string }).name);
  // An index without a name gets this one in its migration.
  const nameOf = (parts: readonly unknown[]) => `${getTableName(table)}_${namesIn(parts).join('_')}_index`;
  return new Map(
    [
      ...columns.filter(({ isUnique }) => isUnique).map((column) => ({ name: column.uniqueName, parts: [column] })),
      ...uniqueConstraints.map((constraint) => ({ name: constraint.getName(), parts: constraint.columns })),
      ...indexes.filter(({ config }) => config.unique).map(({ config }) => ({ ...config, parts: config.columns })),
    ].map(({ name, parts }) => {
      const names = namesIn(parts);
      return [storedName(name ?? nameOf(parts)), fields.filter(({ column }) => names.includes(column.name))];
    }),
  );
}

/** The name under which PostgreSQL stores a constraint or an index: its first 63 bytes, without a part of a character. */
export function storedName(name: string): string {
  return new TextDecoder().decode(Buffer.from(name).subarray(0, 63), { stream: true });
}
