import type { GraphQLSchema } from 'graphql';
import { ServiceError, toServiceError } from '../errors.ts';
import type { Context } from '../graphql/builder.ts';
import { compileOperation } from '../graphql/compiled.ts';
import { lifecycleHeaders, lifecycleLink } from '../lifecycle/headers.ts';
import { markOf } from '../lifecycle/plugin.ts';
import { readBody } from './body.ts';
import { pathReader, queryReader } from './parameters.ts';
import type { Answer, ReplyContext, Route } from './route.ts';
import { nullDropper, selectsField } from './selection.ts';
import { type ResolvedOperation, resolveOperation } from './variables.ts';

/** What a request brings to an endpoint, still as text. */
export interface EndpointRequest {
  /** The path's variables, percent-encoded. */
  readonly segments: Readonly<Record<string, string>>;
  /** What follows the question mark. */
  readonly search: string;
  readonly address: ReplyContext['address'];
  readonly nextPage: ReplyContext['nextPage'];
  readBody(): Promise<unknown>;
}

/** A route, made ready at boot: a request only runs. */
export interface Endpoint {
  readonly route: Route;
  readonly operation: ResolvedOperation;
  /** The fields that every answer carries, whatever its status. */
  headersFor(request: Pick<EndpointRequest, 'segments' | 'address'>): Readonly<Record<string, string>>;
  /** Rejects with a `ServiceError`. */
  run(request: EndpointRequest, context: Context): Promise<Answer>;
}

/**
 * Makes the endpoints of the routes.
 *
 * @param page the path of the page about deprecations and sunsets
 * @throws {Error} when a route's operation does not fit the schema
 */
export function compileRoutes(schema: GraphQLSchema, routes: readonly Route[], page: string): readonly Endpoint[] {
  const resolved = routes.map((route) => ({
    route,
    operation: resolveOperation(schema, route.operation, route.path),
  }));
  return resolved.map(({ route, operation }) => ({
    route,
    operation,
    headersFor: headersOf(operation, resolved, page),
    run: runner(schema, route, operation),
  }));
}

/** What each root field is called on REST: `Query.books` -> `GET /books`. */
export function operationsByField(endpoints: readonly Endpoint[]): ReadonlyMap<string, string> {
  return new Map(endpoints.map(({ route, operation }) => [coordinateOf(operation), `${route.method} ${route.path}`]));
}

function coordinateOf({ parent, field }: ResolvedOperation): string {
  return `${parent.name}.${field.name}`;
}

function runner(schema: GraphQLSchema, route: Route, operation: ResolvedOperation): Endpoint['run'] {
  const execute = compileOperation(schema, route.operation, operation.operationId);
  const readPath = pathReader(operation.inPath);
  const readQuery = queryReader(operation.inQuery);
  const dropNulls = nullDropper(operation);
  const { inBody } = operation;
  const [inPath] = operation.inPath;
  const identity = selectsField(operation, 'id') || inPath === undefined ? 'id' : inPath.name;

  return async (request, context) => {
    const { segments, search, address, nextPage } = request;
    const variables = { ...readPath(segments), ...readQuery(search) };
    if (inBody !== undefined) {
      const readOnly = { name: identity, value: inPath && variables[inPath.name] };
      variables[inBody.name] = readBody(inBody, await request.readBody(), readOnly);
    }
    const { data, errors } = await execute(variables, context);
    if (errors?.[0] !== undefined) throw toServiceError(errors[0]);
    if (data == null) throw new ServiceError('INTERNAL', 'The service failed.');
    const value = dropNulls(data[operation.field.name]);
    return route.reply.answer(value, { variables, address, nextPage });
  };
}

function headersOf(
  operation: ResolvedOperation,
  all: readonly { route: Route; operation: ResolvedOperation }[],
  page: string,
): Endpoint['headersFor'] {
  const mark = markOf(operation.field);
  if (mark === undefined) return () => ({});
  const headers = lifecycleHeaders(mark);
  if (mark.level !== 'deprecated') return () => headers;
  const { field, args = {} } = mark.successor;
  const successor = all.find((other) => coordinateOf(other.operation) === field);
  if (successor === undefined) throw new Error(`${operation.operationId}: its successor ${field} has no route.`);
  const parameters = Object.entries(args).map(([to, from]) => ({
    parameter: variableFor(successor.operation, to),
    segment: variableFor(operation, from),
  }));
  return ({ segments, address }) => {
    const query = parameters
      .filter(({ segment }) => /^-?\d+$/.test(segments[segment] ?? ''))
      .map(({ parameter, segment }) => `${parameter}=${segments[segment]}`);
    const instead = `${successor.route.path}${query.length === 0 ? '' : `?${query.join('&')}`}`;
    return { ...headers, link: lifecycleLink({ page: address(page), successor: address(instead) }) };
  };
}

function variableFor(operation: ResolvedOperation, argument: string): string {
  const variables = [...operation.inPath, ...operation.inQuery];
  const variable = variables.find((candidate) => candidate.argument.name === argument);
  if (variable === undefined) throw new Error(`${operation.operationId} has no variable for ${argument}.`);
  return variable.name;
}
