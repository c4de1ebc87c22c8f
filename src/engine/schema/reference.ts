import type { FieldNode } from 'graphql';
import type { Loader } from '../db/batch.ts';
import type { Context } from './context.ts';

/** How a field finds the row that its own row refers to. */
export interface Reference {
  /** Null where the row refers to none. */
  keyOf(row: object): unknown;
  readsOf(context: Context): Loader<unknown, unknown>;
  /** Keeps on the row the one that it refers to, which was read ahead. */
  keep(row: object, related: unknown): void;
}

/** References that a selection has, and those that it has of the rows they lead to. */
export type ReadAheadPlan = readonly { readonly reference: Reference; readonly within: ReadAheadPlan }[];

/** The root value of every operation: what each of its lists reads ahead, worked out once for a document. */
export class ReadAheadPlans {
  readonly #plans: ReadonlyMap<FieldNode, ReadAheadPlan>;

  constructor(plans: ReadonlyMap<FieldNode, ReadAheadPlan>) {
    this.#plans = plans;
  }

  /** The plan of a list; empty where there is nothing to read ahead. */
  of([first, ...others]: readonly FieldNode[]): ReadAheadPlan {
    const plan = first === undefined ? [] : (this.#plans.get(first) ?? []);
    return others.length === 0 ? plan : [...plan, ...this.of(others)];
  }
}

/**
 * The options of a field that answers with the row of a key. A list reads such rows ahead, all of a page at once, and keeps
 * them on its rows, which are then resolved without a promise each. Elsewhere each is read, coalesced, when it is resolved.
 *
 * @param name the property that keeps the row; not one of the row's own
 * @param keyOf the key in the row; null where it refers to nothing
 * @param readsOf what reads the rows of the keys
 */
export function reference<Name extends string, From extends object, Key, To>(
  name: Name & (Name extends keyof From ? never : Name),
  keyOf: (row: From) => Key | null,
  readsOf: (context: Context) => Loader<Key, To>,
) {
  type Row = From & { [kept in Name]?: To | null };
  return {
    extensions: {
      reference: {
        keyOf,
        readsOf,
        keep: (row: { [kept in Name]?: To | null }, related: To | undefined) => {
          row[name] = related ?? null;
        },
      },
    },
    resolve: (row: Row, _: unknown, context: Context): To | null | Promise<To | null> => {
      const kept = row[name];
      if (kept !== undefined) return kept;
      const key = keyOf(row);
      if (key === null) return null;
      return readsOf(context)
        .load(key)
        .then((found) => found ?? null);
    },
  };
}

/** Reads ahead. What cannot be read is left to its own field, whose failure it is. */
export async function readAhead(plan: ReadAheadPlan, rows: readonly object[], context: Context): Promise<void> {
  await Promise.all(
    plan.map(async ({ reference: { keyOf, readsOf, keep }, within }) => {
      const referring = rows.filter((row) => keyOf(row) !== null);
      const found = await readsOf(context)
        .loadMany(referring.map(keyOf))
        .catch(() => undefined);
      if (found === undefined) return;
      for (const [index, row] of referring.entries()) keep(row, found[index]);
      if (within.length > 0) await readAhead(within, [...new Set(found)].filter(isRow), context);
    }),
  );
}

function isRow(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
