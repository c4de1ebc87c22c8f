import { type GraphQLSchema, getArgumentValues, getVariableValues } from 'graphql';
import type { PreparedOperation } from './prepared.ts';
import type { Selection } from './selection.ts';

/** The arguments of a subscription's root field with these variables; undefined for other operations. */
export function streamArgsOf(schema: GraphQLSchema, { operation, roots }: Selection): PreparedOperation['streamArgs'] {
  const [root] = roots;
  if (operation.operation !== 'subscription' || root === undefined) return undefined;
  const { field, node } = root;
  const { variableDefinitions = [] } = operation;
  return (variables) => {
    // They are valid: the operation is validated first.
    const { coerced = {} } = getVariableValues(schema, variableDefinitions, variables);
    return getArgumentValues(field, node, coerced);
  };
}
