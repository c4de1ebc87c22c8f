import { type GraphQLSchema, getArgumentValues, getVariableValues } from 'graphql';
import type { Context } from '../schema/context.ts';
import type { PreparedOperation, Waiting } from './prepared.ts';
import type { Selection } from './selection.ts';

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
export function waitOf(schema: GraphQLSchema, { operation, roots }: Selection): PreparedOperation['wait'] {
  const waits = roots.flatMap(({ field, node }) => {
    const wait = field.extensions.wait as WaitFor | undefined;
    return wait === undefined ? [] : [{ field, node, wait }];
  });
  if (waits.length === 0) return undefined;
  const { variableDefinitions = [] } = operation;
  return async (variables, context, request) => {
    const { coerced } = getVariableValues(schema, variableDefinitions, variables);
    // Invalid variables are rejected when the operation runs.
    if (coerced === undefined) return {};
    const waited = await Promise.all(
      waits.map(({ field, node, wait }) => wait(getArgumentValues(field, node, coerced), context, request)),
    );
    return Object.assign({}, ...waited);
  };
}
