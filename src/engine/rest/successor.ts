import type { Successor } from '../lifecycle/annotation.ts';
import type { Variables } from '../operation/prepared.ts';
import { fillTemplate, type Route } from './route.ts';
import type { ResolvedOperation, Variable } from './variables.ts';

export interface ResolvedRoute {
  readonly route: Route;
  readonly operation: ResolvedOperation;
}

export type SuccessorRoute = ReturnType<typeof successorRoute>;

/** @throws {Error} if the successor has no route, or there is no value for a variable of its path */
export function successorRoute(
  { operationId, pathVariables }: ResolvedOperation,
  { coordinate, args = {} }: Successor,
  all: readonly ResolvedRoute[],
) {
  const found = all.find(({ operation }) => coordinateOf(operation) === coordinate);
  if (found === undefined) throw new Error(`${operationId}: its successor ${coordinate} has no route.`);
  const { route, operation } = found;
  const given = new Map(
    Object.entries(args).map(([to, from]) => [
      nameFor([...operation.pathVariables, ...operation.queryVariables], to, 'its successor'),
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
  return {
    method: route.method,
    operationId: operation.operationId,
    /** Its name in REST: `GET /books?id={bookId}`. */
    operation: nameOf({ method: route.method, path: target }),
    /** Its path and query string, with the path values of a request to the deprecated route; empty if they are invalid. */
    pathFor(values: Variables): string {
      const template = query.some(([, from]) => values[from] === undefined) ? path : target;
      return fillTemplate(template, (from) => encodeURIComponent(String(values[from] ?? `{${from}}`)));
    },
  };

  function nameFor(variables: readonly Variable[], argument: string, where: string): string {
    const variable = variables.find((candidate) => candidate.argument.name === argument);
    if (variable === undefined) throw new Error(`${operationId}: ${where} has no variable for ${argument}.`);
    return variable.name;
  }
}

export function nameOf({ method, path }: Pick<Route, 'method' | 'path'>): string {
  return `${method} ${path}`;
}

export function coordinateOf({ selected: { parent, field } }: ResolvedOperation): string {
  return `${parent.name}.${field.name}`;
}
