import { type GraphQLSchema, getArgumentValues, getVariableValues } from 'graphql';
import type { Context } from '../schema/context.ts';
import type { PreparedOperation, Variables, Waiting } from './prepared.ts';
import type { SelectedField, Selection } from './selection.ts';

/**
 * Waits until a root field has something to return: the extension `wait` of the field. It resolves to what the resolver
 * needs to know of that.
 */
export type WaitFor = (
  args: Readonly<Record<string, unknown>>,
  context: Context,
  request: Waiting,
) => Promise<Partial<Context>> | undefined;

/** The wait of an operation, outside the limits of work in progress; undefined if none of its root fields can wait. */
export function waitOf(schema: GraphQLSchema, selection: Selection): PreparedOperation['wait'] {
  const waits = selection.roots.flatMap((root) => {
    const wait = root.field.extensions.wait as WaitFor | undefined;
    return wait === undefined ? [] : [{ wait, argsOf: argumentsOf(schema, selection, root) }];
  });
  if (waits.length === 0) return undefined;
  return async (variables, context, request) => {
    const waited = await Promise.all(waits.map(({ wait, argsOf }) => wait(argsOf(variables), context, request)));
    return Object.assign({}, ...waited);
  };
}

/** The arguments of a subscription's root field with these variables; undefined for other operations. */
export function streamArgsOf(schema: GraphQLSchema, selection: Selection): PreparedOperation['streamArgs'] {
  const [root] = selection.roots;
  return selection.operation.operation === 'subscription' && root ? argumentsOf(schema, selection, root) : undefined;
}

function argumentsOf(schema: GraphQLSchema, { operation }: Selection, { field, node }: SelectedField) {
  const { variableDefinitions = [] } = operation;
  return (variables: Variables) => {
    // They are valid: the operation is validated first.
    const { coerced = {} } = getVariableValues(schema, variableDefinitions, variables);
    return getArgumentValues(field, node, coerced);
  };
}
