import { isNonNullType, Kind, TypeInfo, ValidationContext } from 'graphql';
import type { Selection } from './selection.ts';

/**
 * The variables that may be omitted but must not be null: they or their place have a default, and the place does not
 * allow null. The specification leaves null to be found during execution, when the operation may have changed something already
 * (GraphQL, section 5.8.5). So this service checks it before.
 */
export function neverNull({ schema, document, operation }: Selection): ReadonlySet<string> {
  const optional = new Set(
    (operation.variableDefinitions ?? [])
      .filter(({ type }) => type.kind !== Kind.NON_NULL_TYPE)
      .map(({ variable }) => variable.name.value),
  );
  if (optional.size === 0) return optional;
  const context = new ValidationContext(schema, document, new TypeInfo(schema), () => {});
  const uses = context.getRecursiveVariableUsages(operation);
  const names = uses.filter(({ type }) => isNonNullType(type)).map(({ node }) => node.name.value);
  return new Set(names.filter((name) => optional.has(name)));
}
