import type { Successor } from '../lifecycle/annotation.ts';
import type { Route } from './route.ts';
import type { ResolvedOperation } from './variables.ts';

/** A route with its resolved operation. */
export interface ResolvedRoute {
  readonly route: Route;
  readonly operation: ResolvedOperation;
}

/** The values of a path's variables; empty if they are invalid. */
export type PathValues = Readonly<Record<string, unknown>>;

/** The replacement of an operation, in OpenAPI. */
export interface DescribedSuccessor {
  readonly coordinate: string;
  readonly operationId?: string;
  /** Its name in REST: `GET /books?id={bookId}`. */
  readonly operation?: string;
}

/** The route that replaces a deprecated one. */
interface SuccessorRoute {
  readonly method: string;
  readonly described: DescribedSuccessor;
  /** Its path and query string, with the path values of a request to the deprecated route. */
  pathFor(values: PathValues): string;
}

/**
 * Finds the successor's route, and how the values of the deprecated path go into its own.
 *
 * @param all all routes
 * @throws {Error} if there is no such route, or no value for a variable of its path
 */
export function successorRoute(
  { operationId, ...operation }: ResolvedOperation,
  { coordinate, args = {} }: Successor,
  all: readonly ResolvedRoute[],
): SuccessorRoute {
  const found = all.find((other) => coordinateOf(other.operation) === coordinate);
  if (found === undefined) throw new Error(`${operationId}: its successor ${coordinate} has no route.`);
  const { method, path } = found.route;
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
  const fill = pathFiller(template);
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
    pathFor: (values) => {
      const path = fill(values);
      const pairs = query.filter(([, variable]) => values[variable] !== undefined);
      return withQuery(
        path,
        pairs.map(([name, variable]) => `${name}=${encodeURIComponent(String(values[variable]))}`),
      );
    },
  };

  function nameFor(variables: ResolvedOperation['inPath'], argument: string): string {
    const variable = variables.find((candidate) => candidate.argument.name === argument);
    if (variable === undefined) throw new Error(`${operationId}: the routes have no variable for ${argument}.`);
    return variable.name;
  }
}

/** Replaces each `{name}` of a template by its value; one without a value stays. */
function pathFiller(template: string): (values: PathValues) => string {
  const pieces = template.split(/\{(\w+)\}/);
  return (values) => {
    let path = pieces[0] as string;
    for (let index = 1; index < pieces.length; index += 2) {
      const name = pieces[index] as string;
      path += encodeURIComponent(String(values[name] ?? `{${name}}`)) + pieces[index + 1];
    }
    return path;
  };
}

/** The name of an operation in REST: its method and path. */
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
