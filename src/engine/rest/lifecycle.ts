import { type GraphQLSchema, isEnumType } from 'graphql';
import type { HeaderFields } from '../http/reply.ts';
import type { Annotated } from '../lifecycle/annotated.ts';
import type { Labels } from '../lifecycle/enforcement.ts';
import { LIFECYCLE_PAGE, lifecycleHeaders, lifecycleLink } from '../lifecycle/headers.ts';
import type { RestNames } from '../lifecycle/report.ts';
import type { UseFinder } from '../operation/uses.ts';
import type { EndpointCall } from './call.ts';
import { restNameOf } from './parameters.ts';
import { coordinateOf, nameOf, type ResolvedRoute, successorRoute } from './successor.ts';

type Addressed = Pick<EndpointCall, 'pathValues' | 'address'>;

export type EndpointLifecycle = ReturnType<typeof endpointLifecycle>;

/** @throws {Error} if the successor is not among all routes, or the route promises more than a field that it selects */
export function endpointLifecycle(own: ResolvedRoute, all: readonly ResolvedRoute[], findUses: UseFinder) {
  const { route, operation } = own;
  const coordinate = coordinateOf(operation);
  const { always, given } = findUses(operation.selection);
  const annotated = always.find((use) => use.coordinate === coordinate);
  assertKeepsPromise(operation.operationId, annotated, always);
  const name = nameOf(route);
  const deprecation = annotated?.annotations.deprecation;
  const successor = deprecation && successorRoute(operation, deprecation.successor, all);
  // Its own come last, because two routes can have one root field.
  const names = namesIn([...all, own]);
  const restName = (used: string) => names.get(used) ?? valueName(operation.selection.schema, used) ?? used;
  const fixed = annotated ? lifecycleHeaders(annotated.annotations, name, successor?.operation) : [];
  return {
    /** The annotations of the root field: the lifecycle of the operation itself. */
    annotations: annotated?.annotations,
    successor,
    /** The other annotated fields that the operation selects: every response has them. */
    selected: always.filter((use) => 'args' in use.element && use !== annotated),
    /** What its clients use: not the selected fields, because the route selects them. */
    uses: { always: annotated === undefined ? [] : [annotated], given },

    /** The header fields of every response, with any status. */
    headersFor(call: Addressed): HeaderFields {
      if (successor === undefined) return fixed;
      const link = lifecycleLink(call.address(LIFECYCLE_PAGE), call.address(successor.pathFor(call.pathValues)));
      return [...fixed, 'link', link];
    },

    /** The name in REST of an element; its coordinate, if it has none. */
    restName,

    /** The names in REST of the elements that a request uses. */
    labels: (call: Addressed): Labels => ({
      name: restName,
      successor: (used, ofUsed) =>
        used === coordinate && successor !== undefined
          ? `${successor.method} ${call.address(successor.pathFor(call.pathValues))}`
          : restName(ofUsed.successor.coordinate),
    }),
  };
}

export function restNamesOf(
  endpoints: readonly (ResolvedRoute & { readonly lifecycle: EndpointLifecycle })[],
): RestNames {
  return {
    names: namesIn(endpoints),
    successors: new Map(
      endpoints.flatMap(({ operation, lifecycle: { successor } }) =>
        successor === undefined ? [] : [[coordinateOf(operation), successor.operation] as const],
      ),
    ),
    answered: new Set(endpoints.flatMap(({ lifecycle }) => lifecycle.selected.map(({ coordinate }) => coordinate))),
  };
}

/** The names of operations and their parameters, by their coordinates; the last one counts. */
function namesIn(routes: readonly ResolvedRoute[]): ReadonlyMap<string, string> {
  const named = routes.flatMap(({ route, operation }) => {
    const [coordinate, name] = [coordinateOf(operation), nameOf(route)];
    const parameters = [...operation.pathVariables, ...operation.queryVariables].map(
      (variable) => [`${coordinate}(${variable.argument.name}:)`, `${variable.name} of ${name}`] as const,
    );
    return [[coordinate, name] as const, ...parameters];
  });
  return new Map(named);
}

/** The name of an enum value, such as `PetSort.-name`; undefined for other elements. */
function valueName(schema: GraphQLSchema, coordinate: string): string | undefined {
  const [typeName = '', name = ''] = coordinate.split('.');
  const type = schema.getType(typeName);
  const value = isEnumType(type) ? type.getValue(name) : undefined;
  return value == null ? undefined : `${typeName}.${restNameOf(value)}`;
}

/** A stable or beta operation cannot contain a field that may change or be removed at any time. */
function assertKeepsPromise(operationId: string, root: Annotated | undefined, always: readonly Annotated[]): void {
  const promised = root?.annotations.stability ?? 'stable';
  if (promised === 'experimental') return;
  const broken = always.find(({ annotations }) => annotations.stability === 'experimental');
  if (broken !== undefined) {
    throw new Error(`${operationId} is ${promised}, and so cannot select ${broken.coordinate}, which is experimental.`);
  }
}
