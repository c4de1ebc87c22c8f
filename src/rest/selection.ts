import {
  type FieldNode,
  type GraphQLField,
  type GraphQLObjectType,
  getNamedType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import type { ResolvedOperation } from './variables.ts';

/** A field that an operation selects. */
export interface SelectedField {
  readonly name: string;
  readonly field: GraphQLField<unknown, unknown>;
  readonly node: FieldNode;
  /** The fragment that selects it, if one does. */
  readonly fragment: string | undefined;
}

type Fragments = ResolvedOperation['fragments'];
type NullDropper = (value: unknown) => unknown;

/** The fields that a selection has on a type, those of its fragments included. */
export function selectedFields(
  type: GraphQLObjectType,
  selections: SelectionSetNode | undefined,
  fragments: Fragments,
  within?: string,
): SelectedField[] {
  return (selections?.selections ?? []).flatMap((node): SelectedField[] => {
    if (node.kind === Kind.FRAGMENT_SPREAD) {
      const name = node.name.value;
      return selectedFields(type, fragments.get(name)?.selectionSet, fragments, name);
    }
    if (node.kind !== Kind.FIELD) return [];
    const field = type.getFields()[node.name.value];
    if (field === undefined) throw new Error(`${type.name} has no field ${node.name.value}.`);
    return [{ name: field.name, field, node, fragment: within }];
  });
}

/** The object type that a root field answers with. */
export function rootType({ field }: ResolvedOperation): GraphQLObjectType {
  const type = getNamedType(field.type);
  if (!isObjectType(type)) throw new Error(`${field.name} must answer with an object.`);
  return type;
}

/** Whether a field answers with a list. */
export function isListOf({ type }: Pick<GraphQLField<unknown, unknown>, 'type'>): boolean {
  return isListType(isNonNullType(type) ? type.ofType : type);
}

/** Whether the root field's row is selected with the field. */
export function selectsField(operation: ResolvedOperation, name: string): boolean {
  const fields = selectedFields(rootType(operation), operation.fieldNode.selectionSet, operation.fragments);
  return fields.some((selected) => selected.name === name);
}

/**
 * Compiles what makes REST of a GraphQL result: a field without a value is absent there, never null. It looks only at
 * the fields that may be null, and leaves the pages' own ones alone.
 */
export function nullDropper(operation: ResolvedOperation): NullDropper {
  const drop = objectDropper(rootType(operation), operation.fieldNode.selectionSet, operation.fragments);
  if (drop === undefined) return (value) => value;
  return isListOf(operation.field) ? (rows) => (rows as unknown[]).map(drop) : drop;
}

function objectDropper(
  type: GraphQLObjectType,
  selections: SelectionSetNode | undefined,
  fragments: Fragments,
): NullDropper | undefined {
  const fields = selectedFields(type, selections, fragments);
  const nullable = fields.filter(({ field, fragment }) => fragment !== undefined && !isNonNullType(field.type));
  const nested = fields.flatMap(({ name, field, node }) => {
    const inner = getNamedType(field.type);
    const drop = isObjectType(inner) ? objectDropper(inner, node.selectionSet, fragments) : undefined;
    if (drop === undefined) return [];
    return [{ name, drop: isListOf(field) ? (items: unknown) => (items as unknown[]).map(drop) : drop }];
  });
  if (nullable.length === 0 && nested.length === 0) return undefined;
  return (value) => {
    if (value === null) return null;
    const row = value as Record<string, unknown>;
    // Not deleted, although JSON leaves it out just the same: that would give each such row a shape of its own.
    for (const { name } of nullable) if (row[name] === null) row[name] = undefined;
    for (const { name, drop } of nested) row[name] = drop(row[name]);
    return row;
  };
}
