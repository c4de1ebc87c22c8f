import { defaultFieldResolver, type FieldNode, type GraphQLField, type GraphQLSchema, getNamedType } from 'graphql';
import type { Loader } from '../db/batch.ts';
import type { Page } from '../db/paging.ts';
import { membersOf } from '../lifecycle/annotated.ts';
import { connectionOf } from './connection-type.ts';
import type { Context } from './context.ts';

declare module 'graphql' {
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    /** Of a field that returns the row that its own row refers to. */
    reference?: Reference;
  }
}

interface Reference {
  /** Null if the row refers to none. */
  keyOf(row: object): unknown;
  loaderOf(context: Context): Loader<unknown, object>;
  /** Stores on the row the related row that was read ahead. */
  keep(row: object, related: unknown): void;
}

/** The references in a selection, and those within the rows that they lead to. */
export type ReadAheadPlan = readonly { readonly reference: Reference; readonly within: ReadAheadPlan }[];

/** The root value of every operation: what each of its lists reads ahead, prepared once for a document. */
export type ReadAheadPlans = ReadonlyMap<FieldNode, ReadAheadPlan>;

/**
 * The options of a field that returns the row with a key. A list reads such rows ahead, for the whole page at once, so
 * that resolving them takes no promise each. Elsewhere the loader reads each when it is resolved.
 *
 * @param name the property that stores the related row; not one of the row's own
 * @param by the property with the key; it is null if the row refers to nothing
 */
export function reference<Name extends string, By extends string, Key, To>(
  name: Name,
  by: By,
  loaderOf: (context: Context) => Loader<Key, To>,
) {
  type Row = Readonly<Record<By, Key | null>> & { [kept in Name]?: To | null };
  return {
    extensions: {
      reference: {
        keyOf: (row: Readonly<Record<By, unknown>>) => row[by],
        loaderOf,
        keep: (row: { [kept in Name]?: To | null }, related: To | undefined) => {
          row[name] = related ?? null;
        },
      },
    },
    resolve: (row: Row, _: unknown, context: Context): To | null | Promise<To | undefined> => {
      const kept = row[name];
      if (kept !== undefined) return kept;
      const key = row[by];
      return key === null ? null : loaderOf(context).load(key);
    },
  };
}

/** Makes every list read ahead the selected rows that its rows refer to. */
export function readListsAhead(schema: GraphQLSchema): void {
  for (const { element } of membersOf(schema)) {
    if ('args' in element && connectionOf(getNamedType(element.type)) !== undefined) readsAhead(element);
  }
}

function readsAhead(field: GraphQLField<unknown, Context>): void {
  const { resolve = defaultFieldResolver } = field;
  field.resolve = (parent, args, context, info) => {
    // Without plans where the schema is executed by graphql-js alone.
    const plans: ReadAheadPlans = info.rootValue instanceof Map ? info.rootValue : new Map();
    const plan = info.fieldNodes.flatMap((node) => plans.get(node) ?? []);
    const answer: unknown = resolve(parent, args, context, info);
    if (plan.length === 0) return answer;
    return withReadAhead(answer as Answer, plan, context);
  };
}

/** What a resolver returns: a list may be nullable, and need not be read. */
type Answer = Page<object> | null | undefined | Promise<Page<object> | null | undefined>;

async function withReadAhead(answer: Answer, plan: ReadAheadPlan, context: Context) {
  const page = await answer;
  if (page != null) await readAhead(plan, page.rows, context);
  return page;
}

/** Reads ahead. If that fails, the field reads again when it is resolved, so that the error is its own. */
async function readAhead(plan: ReadAheadPlan, rows: readonly object[], context: Context): Promise<void> {
  await Promise.all(
    plan.map(async ({ reference: { keyOf, loaderOf, keep }, within }) => {
      const referring = rows.filter((row) => keyOf(row) !== null);
      const found = await loaderOf(context)
        .loadMany(referring.map(keyOf))
        .catch(() => undefined);
      if (found === undefined) return;
      for (const [index, row] of referring.entries()) keep(row, found[index]);
      if (within.length === 0) return;
      const there = found.filter((row) => row !== undefined);
      await readAhead(within, there, context);
    }),
  );
}
