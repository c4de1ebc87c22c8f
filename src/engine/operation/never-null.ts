import { isNonNullType, Kind } from 'graphql';
import { nodesOf, type Selection } from './selection.ts';
import { visitArguments } from './values.ts';

/**
 * The variables that may be omitted but must not be null: they have a default, and are used where null is not allowed.
 * The specification leaves null to be found during execution, when the operation may have changed something already
 * (GraphQL, section 5.8.5). So this service checks it before.
 */
export function neverNull({ operation, fields }: Selection): ReadonlySet<string> {
  const optional = new Set(
    (operation.variableDefinitions ?? [])
      .filter(({ type, defaultValue }) => type.kind !== Kind.NON_NULL_TYPE && defaultValue !== undefined)
      .map(({ variable }) => variable.name.value),
  );
  const found = new Set<string>();
  if (optional.size === 0) return found;
  for (const [node, field] of nodesOf(fields)) {
    visitArguments(field, node, {
      variable: (name, type) => {
        if (optional.has(name) && isNonNullType(type)) found.add(name);
      },
    });
  }
  for (const { variable } of fields.flatMap(({ conditions }) => conditions)) {
    if (variable !== undefined && optional.has(variable)) found.add(variable);
  }
  return found;
}
