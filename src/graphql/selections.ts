import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  typeFromAST,
  valueFromAST,
} from 'graphql';
import { type Condition, conditionsOf } from './conditions.ts';
import { fragmentsOf } from './fragments.ts';

/** A field that an operation selects. */
export interface SelectedField {
  readonly node: FieldNode;
  readonly field: GraphQLField<unknown, unknown>;
  /** Where its answer is: the keys from the root on. Fields with one path are answered as one. */
  readonly path: string;
  /** What has to hold for it to be answered. */
  readonly conditions: readonly Condition[];
}

/** What an operation selects. */
export interface Selections {
  /** Once for each way to it: a fragment's fields as often as it is spread. */
  readonly fields: readonly SelectedField[];
  readonly fragments: ReadonlySet<FragmentDefinitionNode>;
  /** Of the variables that have one. */
  readonly defaults: ReadonlyMap<string, unknown>;
}

/** The ways to the fields that have a key in common; those without a key are left out. */
export function waysBy<K>(fields: readonly SelectedField[], keyOf: (field: SelectedField) => K | undefined) {
  const ways = new Map<K, Set<readonly Condition[]>>();
  for (const field of fields) {
    const key = keyOf(field);
    if (key === undefined) continue;
    const known = ways.get(key) ?? new Set();
    ways.set(key, known.add(field.conditions));
  }
  return ways;
}

/** Writes out the fragments of an operation. The document must be valid and within the limits, which bound what this gives. */
export function selectionsOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): Selections {
  const defaults = new Map<string, unknown>();
  for (const { variable, type, defaultValue } of operation.variableDefinitions ?? []) {
    if (defaultValue === undefined) continue;
    defaults.set(variable.name.value, valueFromAST(defaultValue, typeFromAST(schema, type) as GraphQLInputType));
  }
  const definitions = fragmentsOf(document);
  const fields: SelectedField[] = [];
  const fragments = new Set<FragmentDefinitionNode>();
  const root = schema.getRootType(operation.operation);
  if (root != null) walk(root, operation.selectionSet, '', []);
  return { fields, fragments, defaults };

  function walk(
    type: GraphQLObjectType,
    { selections }: SelectionSetNode,
    around: string,
    conditionsAround: readonly Condition[],
  ): void {
    for (const node of selections) {
      const own = conditionsOf(node, defaults);
      // Shared where it can be: what is written out has thousands of fields.
      const conditions = own.length === 0 ? conditionsAround : [...conditionsAround, ...own];
      if (node.kind === Kind.FIELD) walkField(type, node, `${around}.${(node.alias ?? node.name).value}`, conditions);
      else if (node.kind === Kind.INLINE_FRAGMENT) walk(type, node.selectionSet, around, conditions);
      else {
        const fragment = definitions.get(node.name.value);
        if (fragment === undefined) continue;
        fragments.add(fragment);
        walk(type, fragment.selectionSet, around, conditions);
      }
    }
  }

  function walkField(type: GraphQLObjectType, node: FieldNode, path: string, conditions: readonly Condition[]): void {
    const field = type.getFields()[node.name.value];
    if (field === undefined) return;
    fields.push({ node, field, path, conditions });
    const named = getNamedType(field.type);
    if (node.selectionSet !== undefined && isObjectType(named)) walk(named, node.selectionSet, path, conditions);
  }
}
