import { sql } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import { ServiceError } from '../errors.ts';
import type { Int64 } from '../int64.ts';
import { capitalize } from '../text.ts';
import { batchWrites, type Loader } from './batch.ts';
import type { Database, Statement } from './client.ts';
import { columnsOf, type List } from './list.ts';
import { byId, type Page, type PageWindow, pages } from './paging.ts';
import { storeRequestId } from './request-id.ts';
import { type ExpectedVersion, versionCondition, versionMismatch } from './version.ts';
import { FOREIGN_KEY_VIOLATIONS, translateViolations } from './violations.ts';
import { fieldOf, foreignKeysOf, insertManyQuery, storedName, uniqueFieldsOf } from './written-fields.ts';

type VersionedTable = PgTable & { readonly id: PgColumn; readonly version: PgColumn };

type Row<T extends VersionedTable> = T['$inferSelect'];
type Inserted<T extends VersionedTable> = T['$inferInsert'];
type Field<T extends VersionedTable> = Exclude<keyof Inserted<T>, 'id' | 'version'>;

/** Fields without a default are required. */
type NewRow<T extends VersionedTable> = {
  readonly [K in keyof Inserted<T> as Extract<K, Field<T>>]:
    | Inserted<T>[K]
    | (undefined extends Inserted<T>[K] ? null : never);
};

/**
 * Omitted fields keep their values. Null removes the value of a nullable field, and sets others to their defaults; it is
 * ignored for those without one.
 */
type RowChanges<T extends VersionedTable> = { readonly [K in Field<T>]?: Inserted<T>[K] | null | undefined };

/** All but `byId` and `list` reject with NOT_FOUND, and take the id of their request for the events of the change. */
interface VersionedStore<T extends VersionedTable, Filter extends string, SortName extends string> {
  readonly byId: Loader<Int64, Row<T>>;
  list(filters: Readonly<Partial<Record<Filter, unknown>>>, sort: SortName, window: PageWindow): Promise<Page<Row<T>>>;
  /** Rejects with UNKNOWN_REFERENCE when it refers to a row that doesn't exist, CONFLICT when a unique value is taken. */
  create(fields: NewRow<T>, requestId?: string): Promise<Row<T>>;
  /** Omitted fields get their defaults. Rejects as `create` does, or with PRECONDITION_FAILED or CONFLICT. */
  replace(id: Int64, fields: NewRow<T>, expected: ExpectedVersion, requestId?: string): Promise<Row<T>>;
  /** Omitted fields keep their values. Rejects as `replace` does. */
  update(id: Int64, changes: RowChanges<T>, expected: ExpectedVersion, requestId?: string): Promise<Row<T>>;
  /** Rejects with PRECONDITION_FAILED, or with CONFLICT while other rows refer to it. */
  delete(id: Int64, expected: ExpectedVersion, requestId?: string): Promise<Row<T>>;
}

interface VersionedStoreOptions<T extends VersionedTable, Filter extends string, SortName extends string> {
  readonly table: T;
  /** Its list, with all columns of the table; its name is the prefix of the statements' names. */
  readonly list: List<T['_']['columns'], Filter, SortName>;
  /** The name of a row in messages, such as `book`. */
  readonly one: string;
  /** The names in messages of the rows that its foreign keys refer to, by field: `{ authorId: 'an author' }`. */
  readonly references?: Readonly<Partial<Record<Field<T>, string>>>;
  /**
   * Why a row can't be deleted, by a foreign key: `{ books_author_id_authors_id_fk: 'while it has books' }`; by default,
   * because other rows refer to it.
   */
  readonly keptBy?: Readonly<Record<string, string>>;
}

type Values = Readonly<Record<string, unknown>>;

/**
 * Each operation is a prepared statement. Reads by id and inserts are batched across requests.
 *
 * @throws {Error} when the table has another kind of id
 * @example const authors = versionedStore(database, { table: authors, list: authorList, one: 'author' });
 */
export function versionedStore<T extends VersionedTable, Filter extends string, SortName extends string>(
  database: Database,
  options: VersionedStoreOptions<T, Filter, SortName>,
): VersionedStore<T, Filter, SortName> {
  const { table, list, one, references = {}, keptBy = {} } = options;
  if (table.id.generatedIdentity === undefined)
    throw new Error(
      `The id of ${list.name} must be idColumn(), which the database assigns; write a store for another key.`,
    );
  const columns = list.columns as Record<string, PgColumn>;
  const selected = columnsOf(list);
  const fields = Object.entries(columns)
    .filter(([name]) => name !== 'id' && name !== 'version')
    .map(([name, column]) => fieldOf(name, column));
  if (fields.length === 0)
    throw new Error(`${list.name} needs a column beside id and version, which a client can set.`);
  const foreignKeys = foreignKeysOf(table, fields, references);
  const uniqueFields = uniqueFieldsOf(table, fields);
  const reasons = new Map(Object.entries(keptBy).map(([name, why]) => [storedName(name), why]));
  const id = sql.placeholder('id');
  const row = { of: one, by: 'id' };
  const What = capitalize(one);

  const insert = database.statement(
    `${list.name}.insert`,
    'write',
    sql`insert into ${table} ${fields.map(({ name }) => name)} values ${fields.map(({ value }) => value)}
      returning ${selected}, ${storeRequestId}`,
    columns,
  );
  const insertMany = database.statement(
    `${list.name}.insertMany`,
    'write',
    insertManyQuery(table, selected, fields, foreignKeys, uniqueFields.size > 0),
    { index: Number, ...columns },
  );
  const update = database.statement(
    `${list.name}.update`,
    'write',
    sql`update ${table} set ${fields.map(({ name }) => name)} = row${fields.map(({ changed }) => changed)},
        version = version + (row${fields.map(({ column }) => column)}::record *<> row${fields.map(({ stored }) => stored)}::record)::integer
      where id = ${id}::bigint and ${versionCondition(table.version)} returning ${selected}, ${storeRequestId}`,
    columns,
    row,
  );
  const remove = database.statement(
    `${list.name}.delete`,
    'write',
    sql`delete from ${table} where id = ${id}::bigint and ${versionCondition(table.version)} returning ${selected}, ${storeRequestId}`,
    columns,
    row,
  );

  const rows = byId(database, list);
  const create = batchWrites<Values, Values>(
    database,
    `${list.name}.insert`,
    (rows) => insertMany({ rows }),
    async (fresh) => {
      const [created] = await translateViolations(insert(fresh), (constraint) => notStored(constraint, fresh));
      return created as Values;
    },
  );

  return {
    byId: rows,
    list: pages(database, list),
    create: (given, requestId) => create(complete(given, requestId)),
    replace: (rowId, given, expected, requestId) => change(update, rowId, complete(given, requestId), expected),
    update: (rowId, changes, expected, requestId) => change(update, rowId, withDefaults(changes, requestId), expected),
    delete: (rowId, expected, requestId) => change(remove, rowId, { requestId }, expected),
  } as VersionedStore<T, Filter, SortName>;

  async function change(
    statement: Statement<Values>,
    rowId: Int64,
    values: Values,
    expectedVersion: ExpectedVersion,
  ): Promise<Values> {
    // Finds out why the row is unchanged.
    const read = database.bind(rows.load);
    const givenFields = Object.keys(values).filter((key) => values[key] !== undefined);
    const [changed] = await translateViolations(
      statement(Object.assign({}, values, { id: rowId, expectedVersion, givenFields })),
      // A foreign key of a table to itself has one name for both.
      (constraint, state) =>
        statement === remove && FOREIGN_KEY_VIOLATIONS.includes(state)
          ? stillReferred(rowId, reasons.get(constraint) ?? 'while other rows refer to it')
          : (notStored(constraint, values) ?? stillReferred(rowId, reasons.get(constraint))),
    );
    if (changed !== undefined) return changed;
    const found = await read(rowId);
    if (found === undefined) throw new ServiceError('NOT_FOUND', `No ${one} has the id ${rowId}.`);
    throw versionMismatch(`${What} ${rowId}`, found as { version: number }, expectedVersion);
  }

  function notStored(constraint: string, values: Values): ServiceError | undefined {
    const unique = uniqueFields.get(constraint);
    if (unique !== undefined) return new ServiceError('CONFLICT', `Another ${one} has the same ${unique}.`);
    const violated = foreignKeys.find((foreignKey) => foreignKey.constraint === constraint);
    if (violated === undefined) return undefined;
    const { key, what } = violated;
    return new ServiceError('UNKNOWN_REFERENCE', `${key} ${values[key]} is not the id of ${what}.`);
  }

  function stillReferred(rowId: Int64, why: string | undefined): ServiceError | undefined {
    return why === undefined ? undefined : new ServiceError('CONFLICT', `${What} ${rowId} cannot be deleted ${why}.`);
  }

  /** The request and its changes, with the default of a required field for null. */
  function withDefaults(changes: Values, requestId: string | undefined): Record<string, unknown> {
    const values: Record<string, unknown> = { requestId, ...changes };
    for (const { key, column, fallback } of fields) {
      if (column.notNull && values[key] === null) values[key] = fallback;
    }
    return values;
  }

  /** The request, and all fields of its new row, with defaults for those that are omitted. */
  function complete(given: Values, requestId: string | undefined): Record<string, unknown> {
    const whole: Record<string, unknown> = { requestId };
    for (const { key, fallback } of fields) whole[key] = given[key] ?? fallback;
    return whole;
  }
}
