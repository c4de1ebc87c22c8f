import type { HeaderFields } from '../http/reply.ts';
import type { Annotated } from '../lifecycle/annotated.ts';
import type { Labels } from '../lifecycle/guard.ts';
import { lifecycleHeaders, lifecycleLink } from '../lifecycle/headers.ts';
import type { RestView } from '../lifecycle/report.ts';
import type { UseFinder } from '../operation/uses.ts';
import {
  coordinateOf,
  type DescribedSuccessor,
  nameOf,
  type PathValues,
  type ResolvedRoute,
  successorRoute,
} from './successor.ts';

/** What the addresses in an answer depend on. */
interface Addressed {
  readonly inPath: PathValues;
  /** The absolute address of a path of this service. */
  address(path: string): string;
}

/** What the marks of its operation mean for an endpoint. */
export interface EndpointLifecycle {
  /** The root field, where it bears marks: the operation's own. */
  readonly annotated: Annotated | undefined;
  /** What takes the place of a deprecated operation. */
  readonly successor: DescribedSuccessor | undefined;
  /** The fields that every answer carries, whatever its status. */
  headersFor(request: Addressed): HeaderFields;
  /** What REST calls the things that a request uses. */
  labels(request: Addressed): Labels;
  /** The other marked fields that the operation selects: every answer has them, read or not. */
  readonly selected: readonly Annotated[];
  /**
   * What else a request uses, by its variables: arguments, input fields and enum values; undefined for never anything.
   */
  readonly given: ((variables: Readonly<Record<string, unknown>>) => readonly Annotated[]) | undefined;
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
  const { always, given } = findUses(operation.selection);
  const annotated = always.find((use) => use.coordinate === coordinate);
  assertKeepsPromise(operation.operationId, annotated, always);
  const name = nameOf(route);
  const deprecation = annotated?.annotations.deprecation;
  const successor = deprecation && successorRoute(operation, deprecation.successor, all);
  const nameOnRest = (used: string) => {
    if (used === coordinate) return name;
    const variable = [...operation.inPath, ...operation.inQuery].find(
      ({ argument }) => used === `${coordinate}(${argument.name}:)`,
    );
    return variable === undefined ? used : `${variable.name} of ${name}`;
  };
  const fixed = annotated ? lifecycleHeaders(annotated.annotations, name, successor?.described.operation) : [];
  return {
    annotated,
    selected: always.filter((use) => use.kind === 'field' && use !== annotated),
    successor: successor?.described,
    headersFor: (request) => {
      if (successor === undefined) return fixed;
      const link = lifecycleLink({
        page: request.address(page),
        successor: request.address(successor.pathFor(request.inPath)),
      });
      return [...fixed, 'link', link];
    },
    labels: (request) => ({
      name: nameOnRest,
      successor: (used, ofUsed) =>
        used === coordinate && successor !== undefined
          ? `${successor.method} ${request.address(successor.pathFor(request.inPath))}`
          : nameOnRest(ofUsed.successor.coordinate),
    }),
    given,
  };
}

/** What the endpoints make of marked things. */
export function restView(endpoints: readonly (ResolvedRoute & { readonly lifecycle: EndpointLifecycle })[]): RestView {
  return {
    operations: new Map(endpoints.map(({ route, operation }) => [coordinateOf(operation), nameOf(route)])),
    successors: new Map(
      endpoints.flatMap(({ operation, lifecycle: { successor } }) =>
        successor?.operation === undefined ? [] : [[coordinateOf(operation), successor.operation] as const],
      ),
    ),
    answered: new Set(endpoints.flatMap(({ lifecycle }) => lifecycle.selected.map(({ coordinate }) => coordinate))),
  };
}

/** What may go at any time cannot be part of what may not. */
function assertKeepsPromise(operationId: string, root: Annotated | undefined, always: readonly Annotated[]): void {
  const promised = root?.annotations.stability ?? 'stable';
  if (promised === 'experimental') return;
  const broken = always.find(({ annotations }) => annotations.stability === 'experimental');
  if (broken !== undefined) {
    throw new Error(`${operationId} is ${promised}, and so cannot select ${broken.coordinate}, which is experimental.`);
  }
}
