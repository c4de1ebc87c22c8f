import type { ArgumentRef, InputShapeFromFields } from '@pothos/core';
import type { Loader } from '../db/batch.ts';
import type { List } from '../db/list.ts';
import type { Page, PageWindow } from '../db/paging.ts';
import type { ExpectedVersion } from '../db/version.ts';
import type { Int64 } from '../int64.ts';
import type { Declared } from '../lifecycle/annotation.ts';
import { withArticle } from '../text.ts';
import type { Builder, RowRef, Types } from './builder.ts';
import { type ChangeFields, changing, type InputFieldRefs, type InputFields } from './changes.ts';
import type { connections } from './connection.ts';
import type { Context } from './context.ts';

type Filters = Readonly<Record<string, unknown>>;

interface ListArgs<SortName> extends PageWindow {
  readonly sort?: SortName | null | undefined;
}

interface ReadOptions<One extends string, Row, Filter extends string, SortName extends string> {
  /** The name of a row, such as `book`: the argument is `bookId`. */
  readonly one: One;
  /** The name of rows in descriptions. */
  readonly many: string;
  readonly list: List<List['columns'], Filter, SortName>;
  /** The descriptions of sorts other than by id and name. */
  readonly sorts?: Readonly<Partial<Record<SortName, string>>>;
  readonly sortLifecycles?: Readonly<Partial<Record<SortName, Declared>>>;
  readonly store: (context: Context) => {
    readonly byId: Loader<Int64, Row>;
    readonly list: (filters: Filters, sort: SortName, window: PageWindow) => Promise<Page<Row>>;
  };
}

interface WriteOptions<One extends string, Row, Fields extends InputFieldRefs, Stored> {
  /** The name of a row, such as `book`: the arguments are `book` and `bookId`. */
  readonly one: One;
  readonly scope: string;
  /** The fields of a new row, all of which the store takes. */
  readonly fields: (t: InputFields) => Fields & { readonly [Name in Exclude<keyof Fields, keyof Stored>]: never };
  readonly store: (context: Context) => Writes<
    Row,
    InputShapeFromFields<Fields>,
    InputShapeFromFields<ChangeFields<Fields>>
  > & {
    readonly create: (fields: Stored, requestId?: string) => Promise<Row>;
  };
}

interface Writes<Row, New, Changes> {
  readonly create: (fields: New, requestId?: string) => Promise<Row>;
  readonly replace: (id: Int64, fields: New, expected: ExpectedVersion, requestId?: string) => Promise<Row>;
  readonly update: (id: Int64, changes: Changes, expected: ExpectedVersion, requestId?: string) => Promise<Row>;
  readonly delete: (id: Int64, expected: ExpectedVersion, requestId?: string) => Promise<Row>;
}

type IdOf<One extends string> = Readonly<Record<`${One}Id`, Int64>>;

interface Expected {
  readonly expectedVersion?: ExpectedVersion;
}

const SORTS: Readonly<Record<string, string | undefined>> = {
  id: 'Oldest first.',
  id_desc: 'Newest first.',
  name: 'By name, ignoring case.',
  name_desc: 'By name in reverse, ignoring case.',
};

/** The options of the field `version` of a row. */
export const rowVersion = {
  type: 'Int64',
  description: 'The version of the row. Each change raises it.',
} as const;

/** Creates what makes the options of the root fields of resources, to which a resource adds its own. */
export function rowFields(builder: Builder, { connectionTo, pagingArgs }: ReturnType<typeof connections>) {
  /** For optimistic locking. */
  const expectedVersion = builder.args((t) => ({
    expectedVersion: t.field({
      type: ['Int64'],
      description:
        'The `version` that the row must have, or several, one of which it must have. Otherwise nothing is changed, and the ' +
        'error is `PRECONDITION_FAILED`.',
    }),
  }));
  return { expectedVersion, readFields, writeFields };

  /**
   * The options of the fields that read rows, and the connection type of their list. Adds the sorts of the list to the
   * schema, such as `BookSort`.
   *
   * @example
   * const book = readFields(BookType, { one: 'book', many: 'books', list: bookList, store: ({ books }) => books });
   * builder.queryFields((t) => ({ book: t.field(book.byId), books: t.field(book.list({})) }));
   */
  function readFields<Row, One extends string, Filter extends string, SortName extends string>(
    type: RowRef<Row>,
    { one, many, list, sorts, sortLifecycles, store }: ReadOptions<One, Row, Filter, SortName | 'id'>,
  ) {
    const id = idArg(one);
    const connection = connectionTo<Row, SortName>(type, many, list);
    const descriptions: typeof SORTS = { ...SORTS, ...sorts };
    const lifecycles: Readonly<Record<string, Declared | undefined>> = { ...sortLifecycles };
    const describe = (name: string) => {
      const description = descriptions[name];
      if (description === undefined) throw new Error(`The sort ${name} of ${many} needs a description.`);
      return { description, lifecycle: lifecycles[name] };
    };
    const sort = builder.enumType(`${type.name}Sort`, {
      description: `How ${many} are sorted.`,
      values: Object.fromEntries(Object.keys(list.sorts).map((name) => [name, describe(name)])),
    }) as PothosSchemaTypes.EnumRef<Types, SortName | 'id'>;
    const args = builder.args((t) => ({
      id: t.field({ type: ['Int64'], description: `Only ${many} with one of these ids.` }),
      sort: t.field({ type: sort, defaultValue: 'id', description: 'How the list is sorted.' }),
    }));
    return {
      connection,
      byId: {
        type,
        nullable: true as const,
        description: `Get ${withArticle(one)} by its id.`,
        args: id.args,
        resolve: (_: unknown, args: IdOf<One>, context: Context) => store(context).byId.load(id.of(args)),
      },
      /** @param filters an argument for each filter of the list, beside `id` */
      list: (filters: Readonly<Record<Exclude<Filter, 'id'>, ArgumentRef<Types, unknown>>>) => ({
        type: connection,
        description: `List ${many}.`,
        args: { id: args.id, ...filters, sort: args.sort, ...pagingArgs },
        resolve: (
          _: unknown,
          { sort, first, after, last, before, ...given }: ListArgs<SortName | 'id'> & Filters,
          context: Context,
        ) => store(context).list(given, sort ?? 'id', { first, after, last, before }),
      }),
    };
  }

  /**
   * The options of the fields that write rows. Adds their input to the schema, such as `NewBook` and `BookChanges`.
   *
   * @example
   * const book = writeFields(BookType, { one: 'book', scope: 'books:write', fields, store: ({ books }) => books });
   * builder.mutationFields((t) => ({ createBook: t.field(book.create), deleteBook: t.field(book.delete) }));
   */
  function writeFields<Row, One extends string, Fields extends InputFieldRefs, Stored>(
    type: RowRef<Row>,
    { one, scope, fields, store }: WriteOptions<One, Row, Fields, Stored>,
  ) {
    type New = InputShapeFromFields<Fields>;
    type Changes = InputShapeFromFields<ChangeFields<Fields>>;
    const NewRow = builder.inputType(`New${type.name}`, {
      description: `A new ${one}. What may be left out must not be null.`,
      fields,
    });
    const RowChanges = builder.inputType(`${type.name}Changes`, {
      description: `Changes to ${withArticle(one)}. Fields that are left out stay as they are; null is only for those that it removes.`,
      fields: (t) => changing(fields(t)),
    });
    const id = idArg(one);
    const rowArg = (description: string) => {
      const { row } = builder.args((t) => ({ row: t.field({ type: NewRow, required: true, description }) }));
      return { [one]: row } as Record<One, typeof row>;
    };
    const { changes } = builder.args((t) => ({
      changes: t.field({ type: RowChanges, required: true, description: 'The changes.' }),
    }));
    return {
      create: {
        type,
        scope,
        description: `Create ${withArticle(one)}.`,
        args: rowArg(`The new ${one}.`),
        resolve: (_: unknown, args: Readonly<Record<One, New>>, context: Context) =>
          store(context).create(args[one], context.requestId),
      },
      replace: {
        type,
        scope,
        description: `Replace ${withArticle(one)}.`,
        args: { ...id.args, ...rowArg(`The ${one} as it should be.`), ...expectedVersion },
        resolve: (_: unknown, args: IdOf<One> & Readonly<Record<One, New>> & Expected, context: Context) =>
          store(context).replace(id.of(args), args[one], args.expectedVersion, context.requestId),
      },
      update: {
        type,
        scope,
        description: `Change some fields of ${withArticle(one)}. Fields that are left out stay as they are.`,
        args: { ...id.args, changes, ...expectedVersion },
        resolve: (_: unknown, args: IdOf<One> & { readonly changes: Changes } & Expected, context: Context) =>
          store(context).update(id.of(args), args.changes, args.expectedVersion, context.requestId),
      },
      delete: {
        type,
        scope,
        description: `Delete ${withArticle(one)}.`,
        args: { ...id.args, ...expectedVersion },
        resolve: (_: unknown, args: IdOf<One> & Expected, context: Context) =>
          store(context).delete(id.of(args), args.expectedVersion, context.requestId),
      },
    };
  }

  function idArg<One extends string>(one: One) {
    const name = `${one}Id` as const;
    const { id } = builder.args((t) => ({
      id: t.field({ type: 'Int64', required: true, description: `Identifier of the ${one}.` }),
    }));
    return {
      args: { [name]: id } as Record<typeof name, typeof id>,
      of: (args: IdOf<One>): Int64 => args[name],
    };
  }
}
