import {
  type GraphQLSchema,
  isNonNullType,
  Kind,
  type OperationDefinitionNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import type { Selections } from './selections.ts';

/**
 * The variables that may be left out, and yet must not be null: they have a default, and stand where null may not. That is
 * found only when the operation runs, and after what it has changed by then (GraphQL, section 5.8.5): so it is asked before.
 */
export function neverNull(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  { fragments }: Selections,
): ReadonlySet<string> {
  const optional = new Set(
    (operation.variableDefinitions ?? [])
      .filter(({ type, defaultValue }) => type.kind !== Kind.NON_NULL_TYPE && defaultValue !== undefined)
      .map(({ variable }) => variable.name.value),
  );
  const found = new Set<string>();
  if (optional.size === 0) return found;
  const types = new TypeInfo(schema);
  const finder = visitWithTypeInfo(types, {
    [Kind.VARIABLE_DEFINITION]: () => false,
    [Kind.VARIABLE]: ({ name: { value } }) => {
      if (optional.has(value) && isNonNullType(types.getInputType())) found.add(value);
    },
  });
  visit(operation, finder);
  for (const fragment of fragments) visit(fragment, finder);
  return found;
}
