import { type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
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
import { changedFields, deleteManyQuery, insertManyQuery, updateManyQuery, type VersionedTable } from './write-many.ts';
import { fieldOf, foreignKeysOf, storedName, uniqueFieldsOf } from './written-fields.ts';

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

/** Changes take the id of their request for their events. All but `create` and `list` reject with NOT_FOUND. */
interface VersionedStore<T extends VersionedTable, Filter extends string, SortName extends string> {
  /** Finds rows, and none where no row has the id. */
  readonly byId: Loader<Int64, Row<T>>;
  get(id: Int64): Promise<Row<T>>;
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
/** The change of a row, with the values of its fields, or its deletion. */
type Change = Values & { readonly id: Int64; readonly expectedVersion: ExpectedVersion };

/**
 * Each operation is a prepared statement, and another one for calls of several requests together.
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
  const written = { table, selected, fields, foreignKeys, uniqueFields };
  const What = capitalize(one);
  const isRow = sql`id = ${sql.placeholder('id')}::bigint and ${versionCondition(table.version)}`;
  const returning = sql`returning ${selected}, ${storeRequestId}`;

  const rows = byId(database, list);
  const insert = operation(
    'insert',
    sql`insert into ${table} ${fields.map(({ name }) => name)} values ${fields.map(({ key }) => sql.placeholder(key))} ${returning}`,
    insertManyQuery(written),
    async (statement, fresh) => {
      const [created] = await translateViolations(statement(fresh), (constraint) => notStored(constraint, fresh));
      return created as Values;
    },
  );
  const update = operation(
    'update',
    sql`update ${table} set ${changedFields(written, sql.placeholder)} where ${isRow} ${returning}`,
    updateManyQuery(written),
    changeWith(
      (constraint, values) => notStored(constraint, values) ?? stillReferred(values.id, reasons.get(constraint)),
    ),
  );
  const remove = operation(
    'delete',
    sql`delete from ${table} where ${isRow} ${returning}`,
    deleteManyQuery(written),
    // A foreign key of a table to itself has one name for both.
    changeWith((constraint, { id }, state) => {
      const why = FOREIGN_KEY_VIOLATIONS.includes(state) ? 'while other rows refer to it' : undefined;
      return stillReferred(id, reasons.get(constraint) ?? why);
    }),
  );

  return {
    byId: rows,
    get,
    list: pages(database, list),
    create: (given, requestId) => insert(complete(given, requestId)),
    replace: (id, given, expected, requestId) => update(changeOf(id, complete(given, requestId), expected)),
    update: (id, changes, expected, requestId) => update(changeOf(id, withDefaults(changes, requestId), expected)),
    delete: (id, expectedVersion, requestId) => remove({ id, expectedVersion, requestId }),
  } as VersionedStore<T, Filter, SortName>;

  /** @param alone runs the statement for one call: one that waits, fails or comes alone */
  function operation<Given extends Values>(
    what: 'insert' | 'update' | 'delete',
    query: SQL,
    manyQuery: SQL,
    alone: (statement: Statement<Values>, values: Given) => Promise<Values>,
  ): (values: Given) => Promise<Values> {
    const name = `${list.name}.${what}`;
    const row = what === 'insert' ? undefined : { of: one, by: 'id' };
    const statement = database.statement(name, 'write', query, columns, row);
    const many = database.statement(`${name}Many`, 'write', manyQuery, { index: Number, ...columns });
    return batchWrites<Given, Values>(database, name, many, (values) => alone(statement, values));
  }

  /** @param explain gives the error for a violated constraint */
  function changeWith(explain: (constraint: string, values: Change, state: string) => ServiceError | undefined) {
    return async (statement: Statement<Values>, values: Change): Promise<Values> => {
      const { id, expectedVersion } = values;
      // Finds out why the row is unchanged.
      const read = database.bind(get);
      const [changed] = await translateViolations(statement(values), (constraint, state) =>
        explain(constraint, values, state),
      );
      if (changed !== undefined) return changed;
      throw versionMismatch(`${What} ${id}`, (await read(id)) as { version: number }, expectedVersion);
    };
  }

  async function get(id: Int64): Promise<Values> {
    const found = await rows.load(id);
    if (found === undefined) throw new ServiceError('NOT_FOUND', `No ${one} has the id ${id}.`);
    return found;
  }

  function changeOf(id: Int64, values: Values, expectedVersion: ExpectedVersion): Change {
    const givenFields = Object.keys(values).filter((key) => values[key] !== undefined);
    return Object.assign({}, values, { id, expectedVersion, givenFields });
  }

  function notStored(constraint: string, values: Values): ServiceError | undefined {
    const unique = uniqueFields.get(constraint);
    if (unique !== undefined) {
      const same = unique.map(({ key }) => key).join(' and ');
      return new ServiceError('CONFLICT', `Another ${one} has the same ${same}.`);
    }
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
