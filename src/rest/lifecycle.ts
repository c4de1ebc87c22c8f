import { type Naming, successorOf } from '../lifecycle/guard.ts';
import { lifecycleHeaders, lifecycleLink } from '../lifecycle/headers.ts';
import type { Successor } from '../lifecycle/mark.ts';
import type { Marked } from '../lifecycle/marked.ts';
import type { DescribedSuccessor } from '../lifecycle/openapi.ts';
import type { RestView } from '../lifecycle/report.ts';
import type { UseFinder } from '../lifecycle/uses.ts';
import type { Route } from './route.ts';
import type { ResolvedOperation } from './variables.ts';

/** A route and what it was resolved to. */
export interface ResolvedRoute {
  readonly route: Route;
  readonly operation: ResolvedOperation;
}

type Headers = Readonly<Record<string, string>>;

/** What the addresses in an answer depend on. */
export interface Addressed {
  /** The path's variables, percent-encoded. */
  readonly segments: Readonly<Record<string, string>>;
  /** The absolute address of a path of this service. */
  address(path: string): string;
}

/** What the marks of its operation mean for an endpoint. */
export interface EndpointLifecycle {
  /** The root field, where it bears marks: the operation's own. */
  readonly marked: Marked | undefined;
  /** What takes the place of a deprecated operation. */
  readonly successor: DescribedSuccessor | undefined;
  /** The fields that every answer carries, whatever its status. */
  headersFor(request: Addressed): Headers;
  /** What REST calls the things that a request uses. */
  naming(request: Addressed): Naming;
  /** The other marked fields that the operation selects: every answer has them, read or not. */
  readonly selected: readonly Marked[];
  /** What else a request uses, by its variables: arguments, input fields and enum values; undefined for never anything. */
  readonly given: ((variables: Readonly<Record<string, unknown>>) => readonly Marked[]) | undefined;
}

/**
 * Works out what marks mean for a route.
 *
 * @param all every route, for the successor is one of them
 * @param page the path of the page about deprecations and sunsets
 * @throws {Error} when a successor has no route, or a route promises more than a field that it selects
 */
export function endpointLifecycle(
  { route, operation }: ResolvedRoute,
  all: readonly ResolvedRoute[],
  findUses: UseFinder,
  page: string,
): EndpointLifecycle {
  const coordinate = coordinateOf(operation);
  const { always, given } = findUses(route.operation, operation.operationId);
  const marked = always.find((use) => use.coordinate === coordinate);
  assertKeepsPromise(operation.operationId, marked, always);
  const name = nameOf(route);
  const deprecation = marked?.marks.deprecation;
  const successor = deprecation && findSuccessor(operation, deprecation.successor, all);
  const fixed = marked ? lifecycleHeaders(marked.marks, name, successor?.described.operation) : {};
  return {
    marked,
    selected: always.filter((use) => use.kind === 'field' && use !== marked),
    successor: successor?.described,
    headersFor: (request) => {
      if (successor === undefined) return fixed;
      const { address } = request;
      return { ...fixed, link: lifecycleLink({ page: address(page), successor: address(successor.pathFor(request)) }) };
    },
    naming: (request) => ({
      name: (used) => (used === coordinate ? name : used),
      successor: (used) =>
        used.coordinate === coordinate && successor !== undefined
          ? `${successor.route.method} ${request.address(successor.pathFor(request))}`
          : successorOf(used),
    }),
    given: given && ((variables) => given(variables).filter((use) => !always.includes(use))),
  };
}

/** What the endpoints make of marked things. */
export function restView(endpoints: readonly (ResolvedRoute & { readonly lifecycle: EndpointLifecycle })[]): RestView {
  return {
    operations: new Map(endpoints.map(({ route, operation }) => [coordinateOf(operation), nameOf(route)])),
    answered: new Set(endpoints.flatMap(({ lifecycle }) => lifecycle.selected.map(({ coordinate }) => coordinate))),
  };
}

function nameOf({ method, path }: Pick<Route, 'method' | 'path'>): string {
  return `${method} ${path}`;
}

function coordinateOf({ parent, field }: ResolvedOperation): string {
  return `${parent.name}.${field.name}`;
}

interface SuccessorRoute {
  readonly route: Route;
  readonly described: DescribedSuccessor;
  /** The path that does what the request asks for: with the values it has in its own. */
  pathFor(request: Addressed): string;
}

function findSuccessor(
  operation: ResolvedOperation,
  { coordinate, args = {} }: Successor,
  all: readonly ResolvedRoute[],
): SuccessorRoute {
  const found = all.find((other) => coordinateOf(other.operation) === coordinate);
  if (found === undefined) throw new Error(`${operation.operationId}: its successor ${coordinate} has no route.`);
  const { path } = found.route;
  const parameters = Object.entries(args).map(([to, from]) => ({
    parameter: variableFor(found.operation, to),
    segment: variableFor(operation, from),
  }));
  const template = parameters.map(({ parameter, segment }) => `${parameter}={${segment}}`);
  return {
    route: found.route,
    described: {
      coordinate,
      operationId: found.operation.operationId,
      operation: nameOf({ ...found.route, path: withQuery(path, template) }),
    },
    pathFor: ({ segments }) => {
      // Only what is an identifier: whatever else stands in a path has no place in a header.
      const query = parameters
        .filter(({ segment }) => /^-?\d+$/.test(segments[segment] ?? ''))
        .map(({ parameter, segment }) => `${parameter}=${segments[segment]}`);
      return withQuery(path, query);
    },
  };
}

function withQuery(path: string, query: readonly string[]): string {
  return query.length === 0 ? path : `${path}?${query.join('&')}`;
}

function variableFor(operation: ResolvedOperation, argument: string): string {
  const variables = [...operation.inPath, ...operation.inQuery];
  const variable = variables.find((candidate) => candidate.argument.name === argument);
  if (variable === undefined) throw new Error(`${operation.operationId} has no variable for ${argument}.`);
  return variable.name;
}

/** What may go at any time cannot be part of what may not. */
function assertKeepsPromise(operationId: string, root: Marked | undefined, always: readonly Marked[]): void {
  const promised = root?.marks.stability ?? 'stable';
  if (promised === 'experimental') return;
  const broken = always.find(({ marks }) => marks.stability === 'experimental');
  if (broken !== undefined) {
    throw new Error(`${operationId} is ${promised}, and so cannot select ${broken.coordinate}, which is experimental.`);
  }
}
