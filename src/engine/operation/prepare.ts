import { getArgumentValues, getVariableValues } from 'graphql';
import { READ } from '../auth/scope.ts';
import type { IncomingRequest } from '../http/incoming.ts';
import { unitsOf } from '../limits/units.ts';
import type { Context } from '../schema/context.ts';
import type { Operation } from './compiled.ts';
import { isIncluded } from './conditions.ts';
import { maxRuns, measure } from './cost.ts';
import type { PreparedOperation, Variables } from './prepared.ts';
import type { SelectedField, Selection } from './selection.ts';
import type { UseFinder } from './uses.ts';

declare module 'graphql' {
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    wait?: WaitFor;
  }
}

const KINDS = { query: 'read', mutation: 'change', subscription: 'stream' } as const;

export interface PrepareOptions {
  readonly findUses: UseFinder;
  /** Makes the function that runs it, and stays in memory: so it must not keep the selection, which is large. */
  readonly run: (selection: Selection) => Operation;
  /** Validates the variables and arguments; undefined if the protocol validates them as it reads them. */
  readonly validate: ((selection: Selection) => PreparedOperation['validate']) | undefined;
}

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

export function prepareOperation(
  selection: Selection,
  { findUses, run, validate = () => () => [] }: PrepareOptions,
): PreparedOperation {
  const { operation, roots } = selection;
  const costFor = measure(selection);
  // The closures below stay in memory too.
  const otherRoots = Math.max(0, roots.length - 1);
  // Where one of several waits, its time is that of the operation.
  const named = roots.length === 1 ? roots[0] : roots.find(({ field }) => field.extensions.wait !== undefined);
  return {
    label: named?.field.name ?? 'several',
    kind: KINDS[operation.operation],
    changesSeveral: operation.operation === 'mutation' && roots.length > 1,
    scopes: scopesOf(selection),
    cost: (variables, costs, runs = 1) => {
      const cost = costFor(variables, runs);
      return { units: unitsOf(cost, costs) + otherRoots, bytes: cost.bytes };
    },
    uses: findUses(selection),
    validate: validate(selection),
    maxRuns: (variables) => maxRuns(costFor(variables)),
    streamArgs: streamArgsOf(selection),
    wait: waitOf(selection),
    run: run(selection),
  };
}

/** The scopes of the root fields, and `read` for a change that returns more than the changed row. */
function scopesOf({ operation, roots }: Selection): readonly string[] {
  const scopes = roots.flatMap(({ field, within }) => {
    const { scope } = field.extensions;
    if (scope === undefined) return [];
    const returnsMore = within.some(({ node }) => node.selectionSet !== undefined);
    return operation.operation === 'mutation' && returnsMore ? [scope, READ] : [scope];
  });
  return [...new Set(scopes)];
}

/** Undefined if none of its root fields can wait. */
function waitOf(selection: Selection): PreparedOperation['wait'] {
  const waiting = selection.roots.flatMap((root) => {
    const { field, node, conditions } = root;
    const { wait } = field.extensions;
    const key = (node.alias ?? node.name).value;
    return wait === undefined ? [] : [{ wait, key, conditions, argsOf: argumentsOf(selection, root) }];
  });
  return waiterOf(waiting, selection.document.loc?.source.body.length ?? 0);
}

/** Its function stays in memory: a closure above would keep the selection, too. */
function waiterOf(waiting: readonly WaitingField[], characters: number): PreparedOperation['wait'] {
  // Only the feed of events waits.
  const [first] = waiting;
  if (first === undefined) return undefined;
  return (variables, context, request) => {
    const included = waiting.filter(({ conditions }) => isIncluded([conditions], variables));
    const fields = new Map(included.map(({ key, argsOf }) => [key, argsOf(variables)]));
    return first.wait(fields, context, request, characters);
  };
}

interface WaitingField {
  readonly wait: WaitFor;
  readonly key: string;
  readonly conditions: SelectedField['conditions'];
  readonly argsOf: (variables: Variables) => Variables;
}

function streamArgsOf(selection: Selection): PreparedOperation['streamArgs'] {
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
