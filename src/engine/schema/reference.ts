import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  getNamedType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import type { KeyedReads } from '../db/batch.ts';
import type { Context } from './context.ts';

/** A row of any kind, as far as what was read ahead is kept on it. */
type Row = Record<symbol, unknown>;

/** How a field finds the row that its own row refers to. */
interface Reference {
  /** Where on its row that row is kept when it was read ahead. */
  readonly slot: symbol;
  /** Null where it refers to none. */
  readonly keyOf: (row: Row) => unknown;
  readonly readsOf: (context: Context) => KeyedReads<unknown, unknown>;
}

/** References that a selection asks for, and those of the rows that they lead to. */
type Plan = readonly { readonly reference: Reference; readonly within: Plan }[];

/**
 * The options of a field that answers with the row of a key. A list reads such rows ahead, all of a page at once, so
 * that its rows are resolved without a promise each; elsewhere each is read, coalesced, when it is resolved.
 *
 * @param keyOf the key in the row; null where it refers to nothing
 * @param readsOf what reads the rows of the keys
 */
export function reference<From extends object, Key, To>(
  keyOf: (row: From) => Key | null,
  readsOf: (context: Context) => KeyedReads<Key, To>,
) {
  const slot = Symbol('read ahead');
  return {
    extensions: { reference: { slot, keyOf, readsOf } },
    resolve: (row: From, _: unknown, context: Context): To | null | Promise<To | null> => {
      if (slot in row) return (row as Row)[slot] as To | null;
      const key = keyOf(row);
      if (key === null) return null;
      return readsOf(context)
        .one(key)
        .then((found) => found ?? null);
    },
  };
}

const plans = new WeakMap<FieldNode, Plan>();

/** What of a page's rows can be read ahead for a field; undefined for nothing. Worked out once for a document. */
export function readAheadOf(info: GraphQLResolveInfo): Plan | undefined {
  const [first] = info.fieldNodes as readonly [FieldNode];
  const plan = plans.get(first) ?? planOf(info);
  plans.set(first, plan);
  return plan.length === 0 ? undefined : plan;
}

/** Reads ahead. What cannot be read is left to its own field, whose failure it is. */
export async function readAhead(plan: Plan, rows: readonly object[], context: Context): Promise<void> {
  await Promise.all(
    plan.map(async ({ reference: { slot, keyOf, readsOf }, within }) => {
      const referring = (rows as readonly Row[]).filter((row) => keyOf(row) !== null);
      const found = await readsOf(context)
        .many(referring.map(keyOf))
        .catch(() => undefined);
      if (found === undefined) return;
      for (const [index, row] of referring.entries()) row[slot] = found[index] ?? null;
      if (within.length > 0) await readAhead(within, [...new Set(found)].filter(isRow), context);
    }),
  );
}

function isRow(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function planOf({ fieldNodes, fragments, returnType }: GraphQLResolveInfo): Plan {
  const connection = getNamedType(returnType);
  if (!isObjectType(connection)) return [];
  return fieldNodes.flatMap((node) =>
    selected(connection, node.selectionSet, fragments).flatMap(({ name, type, node: rows }) => {
      if (name === 'nodes') return referencesIn(type, rows.selectionSet, fragments);
      if (name !== 'edges' || type === undefined) return [];
      return selected(type, rows.selectionSet, fragments)
        .filter((edge) => edge.name === 'node')
        .flatMap((edge) => referencesIn(edge.type, edge.node.selectionSet, fragments));
    }),
  );
}

type Fragments = Readonly<Record<string, FragmentDefinitionNode>>;

function referencesIn(
  type: GraphQLObjectType | undefined,
  selections: SelectionSetNode | undefined,
  fragments: Fragments,
): Plan {
  if (type === undefined) return [];
  return selected(type, selections, fragments).flatMap(({ name, type: target, node }) => {
    const found = type.getFields()[name]?.extensions.reference as Reference | undefined;
    return found === undefined
      ? []
      : [{ reference: found, within: referencesIn(target, node.selectionSet, fragments) }];
  });
}

interface Selected {
  readonly name: string;
  /** The object type that the field answers with, where it does. */
  readonly type: GraphQLObjectType | undefined;
  readonly node: FieldNode;
}

/** The fields that are selected for certain: what a directive may leave out is not read ahead. */
function selected(type: GraphQLObjectType, selections: SelectionSetNode | undefined, fragments: Fragments): Selected[] {
  return (selections?.selections ?? []).flatMap((node): Selected[] => {
    if ((node.directives ?? []).length > 0) return [];
    if (node.kind === Kind.INLINE_FRAGMENT) return selected(type, node.selectionSet, fragments);
    if (node.kind === Kind.FRAGMENT_SPREAD) {
      return selected(type, fragments[node.name.value]?.selectionSet, fragments);
    }
    const answered = getNamedType(type.getFields()[node.name.value]?.type);
    return [{ name: node.name.value, type: isObjectType(answered) ? answered : undefined, node }];
  });
}
