import { getArgumentValues, getVariableValues } from 'graphql';
import type { IncomingRequest } from '../http/incoming.ts';
import type { Context } from '../schema/context.ts';
import { isIncluded } from './conditions.ts';
import type { PreparedOperation, Variables } from './prepared.ts';
import type { SelectedField, Selection } from './selection.ts';

/**
 * The extension `wait` of a root field, called once for all fields with it: their arguments are by response key.
 *
 * @param characters the length of the document
 */
export type WaitFor = (
  fields: ReadonlyMap<string, Variables>,
  context: Context,
  request: IncomingRequest,
  characters: number,
) => Promise<Partial<Context>>;

/** Undefined if none of its root fields can wait. */
export function waitOf(selection: Selection): PreparedOperation['wait'] {
  const waiting = selection.roots.flatMap((root) => {
    const wait = root.field.extensions.wait as WaitFor | undefined;
    const key = (root.node.alias ?? root.node.name).value;
    return wait === undefined ? [] : [{ wait, key, root, argsOf: argumentsOf(selection, root) }];
  });
  // Only the feed of events waits.
  const [first] = waiting;
  if (first === undefined) return undefined;
  const characters = selection.document.loc?.source.body.length ?? 0;
  return (variables, context, request) => {
    const included = waiting.filter(({ root }) => isIncluded([root.conditions], variables));
    const fields = new Map(included.map(({ key, argsOf }) => [key, argsOf(variables)]));
    return first.wait(fields, context, request, characters);
  };
}

export function streamArgsOf(selection: Selection): PreparedOperation['streamArgs'] {
  const [root] = selection.roots;
  return selection.operation.operation === 'subscription' && root ? argumentsOf(selection, root) : undefined;
}

function argumentsOf({ schema, variableDefinitions }: Selection, { field, node }: SelectedField) {
  return (variables: Variables) => {
    // They are valid: the operation is validated first.
    const { coerced = {} } = getVariableValues(schema, variableDefinitions, variables);
    return getArgumentValues(field, node, coerced);
  };
}
