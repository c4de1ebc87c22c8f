import { type GraphQLSchema, isEnumType } from 'graphql';
import type { HeaderFields } from '../http/reply.ts';
import type { Annotated } from '../lifecycle/annotated.ts';
import type { Successor } from '../lifecycle/annotation.ts';
import type { Labels } from '../lifecycle/enforcement.ts';
import { LIFECYCLE_PAGE, lifecycleHeaders, lifecycleLink } from '../lifecycle/headers.ts';
import type { RestNames } from '../lifecycle/report.ts';
import type { Variables } from '../operation/prepared.ts';
import type { UseFinder } from '../operation/uses.ts';
import type { EndpointCall } from './call.ts';
import { restNameOf } from './parameters.ts';
import { compileTemplate, fillTemplate } from './route.ts';
import type { ResolvedOperation, Variable } from './variables.ts';

type Addressed = Pick<EndpointCall, 'pathValues' | 'address'>;

export type EndpointLifecycle = ReturnType<typeof endpointLifecycle>;

/** @throws {Error} if the successor is not among all routes, or the route promises more than a field that it selects */
export function endpointLifecycle(own: ResolvedOperation, all: readonly ResolvedOperation[], findUses: UseFinder) {
  const { operationId, name, selection, coordinate } = own;
  const { always, given } = findUses(selection);
  const annotated = always.find((use) => use.coordinate === coordinate);
  assertKeepsPromise(operationId, annotated, always);
  const deprecation = annotated?.annotations.deprecation;
  const successor = deprecation && successorRoute(own, deprecation.successor, all);
  // Its own come last, because two routes can have one root field.
  const names = namesIn([...all, own]);
  const restName = (used: string) => names.get(used) ?? valueName(selection.schema, used) ?? used;
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

/** @throws {Error} if the successor has no route, or there is no value for a variable of its path */
function successorRoute(
  { operationId, pathVariables }: ResolvedOperation,
  { coordinate, args = {} }: Successor,
  all: readonly ResolvedOperation[],
) {
  const found = all.find((one) => one.coordinate === coordinate);
  if (found === undefined) throw new Error(`${operationId}: its successor ${coordinate} has no route.`);
  const { route } = found;
  const given = new Map(
    Object.entries(args).map(([to, from]) => [
      nameFor([...found.pathVariables, ...found.queryVariables], to, 'its successor'),
      nameFor(pathVariables, from, 'its path'),
    ]),
  );
  const path = fillTemplate(route.path, (name) => {
    if (!given.has(name))
      throw new Error(`${operationId}: no argument goes into ${name} of its successor ${coordinate}.`);
    return `{${given.get(name)}}`;
  });
  const query = [...given].filter(([name]) => !route.path.includes(`{${name}}`));
  const target = [path, query.map(([name, from]) => `${name}={${from}}`).join('&')].filter(Boolean).join('?');
  const [fillPath, fillTarget] = [compileTemplate(path), compileTemplate(target)];
  return {
    method: route.method,
    operationId: found.operationId,
    /** Its name in REST: `GET /books?id={bookId}`. */
    operation: `${route.method} ${target}`,
    /** Its path and query string, with the path values of a request to the deprecated route; empty if they are invalid. */
    pathFor(values: Variables): string {
      const fill = query.some(([, from]) => values[from] === undefined) ? fillPath : fillTarget;
      return fill((from) => encodeURIComponent(String(values[from] ?? `{${from}}`)));
    },
  };

  function nameFor(variables: readonly Variable[], argument: string, where: string): string {
    const variable = variables.find((candidate) => candidate.argument.name === argument);
    if (variable === undefined) throw new Error(`${operationId}: ${where} has no variable for ${argument}.`);
    return variable.name;
  }
}

export function restNamesOf(
  endpoints: readonly (ResolvedOperation & { readonly lifecycle: EndpointLifecycle })[],
): RestNames {
  return {
    names: namesIn(endpoints),
    successors: new Map(
      endpoints.flatMap(({ coordinate, lifecycle: { successor } }) =>
        successor === undefined ? [] : [[coordinate, successor.operation] as const],
      ),
    ),
    answered: new Set(endpoints.flatMap(({ lifecycle }) => lifecycle.selected.map(({ coordinate }) => coordinate))),
  };
}

/** The names of operations and their parameters, by their coordinates; the last one counts. */
function namesIn(operations: readonly ResolvedOperation[]): ReadonlyMap<string, string> {
  const named = operations.flatMap(({ coordinate, name, pathVariables, queryVariables }) => {
    const parameters = [...pathVariables, ...queryVariables].map(
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
