import { isNonNullType, Kind, TypeInfo, ValidationContext } from 'graphql';
import type { Selection } from './selection.ts';

/**
 * The variables that may be omitted, because they or their place have a default, but must not be null. By the
 * specification (GraphQL, section 5.8.5), null is found during execution, when something may have been changed already.
 */
export function neverNull({ schema, document, operation, variableDefinitions }: Selection): ReadonlySet<string> {
  const optional = new Set(
    variableDefinitions
      .filter(({ type }) => type.kind !== Kind.NON_NULL_TYPE)
      .map(({ variable }) => variable.name.value),
  );
  if (optional.size === 0) return optional;
  const context = new ValidationContext(schema, document, new TypeInfo(schema), () => {});
  const uses = context.getRecursiveVariableUsages(operation);
  const names = uses.filter(({ type }) => isNonNullType(type)).map(({ node }) => node.name.value);
  return new Set(names.filter((name) => optional.has(name)));
}
