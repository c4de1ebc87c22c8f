import type { Successor } from '../lifecycle/mark.ts';
import type { DescribedSuccessor } from '../lifecycle/openapi.ts';
import { pathReader } from './parameters.ts';
import type { Route } from './route.ts';
import type { ResolvedOperation } from './variables.ts';

/** A route and what it was resolved to. */
export interface ResolvedRoute {
  readonly route: Route;
  readonly operation: ResolvedOperation;
}

/** A path's variables, percent-encoded. */
export type Segments = Readonly<Record<string, string>>;

/** The route that takes the place of a deprecated one. */
export interface SuccessorRoute {
  readonly method: string;
  readonly described: DescribedSuccessor;
  /** Its path for a request to the deprecated one: with the same values. */
  pathFor(segments: Segments): string;
}

/**
 * Finds the successor's route, and how the values of the deprecated path go into its own.
 *
 * @param all every route
 * @throws {Error} when there is no such route, or nothing to fill its path with
 */
export function successorRoute(
  { operationId, ...operation }: ResolvedOperation,
  { coordinate, args = {} }: Successor,
  all: readonly ResolvedRoute[],
): SuccessorRoute {
  const found = all.find((other) => coordinateOf(other.operation) === coordinate);
  if (found === undefined) throw new Error(`${operationId}: its successor ${coordinate} has no route.`);
  const { method, path } = found.route;
  const readPath = pathReader(operation.inPath);
  const given = new Map(
    Object.entries(args).map(([to, from]) => [
      nameFor([...found.operation.inPath, ...found.operation.inQuery], to),
      nameFor(operation.inPath, from),
    ]),
  );
  const template = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    if (!given.has(name))
      throw new Error(`${operationId}: no argument goes into ${name} of its successor ${coordinate}.`);
    return `{${given.get(name)}}`;
  });
  const query = [...given].filter(([name]) => !path.includes(`{${name}}`));
  const described = nameOf({
    method,
    path: withQuery(
      template,
      query.map(([name, segment]) => `${name}={${segment}}`),
    ),
  });
  return {
    method,
    described: { coordinate, operationId: found.operation.operationId, operation: described },
    pathFor: (segments) => {
      const values = readable(segments);
      const encoded = (name: string) => encodeURIComponent(String(values[name] ?? `{${name}}`));
      const filled = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encoded(name));
      const pairs = query.filter(([, segment]) => values[segment] !== undefined);
      return withQuery(
        filled,
        pairs.map(([name, segment]) => `${name}=${encoded(segment)}`),
      );
    },
  };

  /** The values of the request's path; none when they cannot be read. */
  function readable(segments: Segments): Readonly<Record<string, unknown>> {
    try {
      return readPath(segments);
    } catch {
      return {};
    }
  }

  function nameFor(variables: ResolvedOperation['inPath'], argument: string): string {
    const variable = variables.find((candidate) => candidate.argument.name === argument);
    if (variable === undefined) throw new Error(`${operationId}: the routes have no variable for ${argument}.`);
    return variable.name;
  }
}

/** What REST calls an operation. */
export function nameOf({ method, path }: Pick<Route, 'method' | 'path'>): string {
  return `${method} ${path}`;
}

/** The coordinate of an operation's root field. */
export function coordinateOf({ parent, field }: Pick<ResolvedOperation, 'parent' | 'field'>): string {
  return `${parent.name}.${field.name}`;
}

function withQuery(path: string, query: readonly string[]): string {
  return query.length === 0 ? path : `${path}?${query.join('&')}`;
}
