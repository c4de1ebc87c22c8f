import type { GraphQLSchema } from 'graphql';
import { ServiceError, toServiceError } from '../errors.ts';
import { compileOperation } from '../graphql/compiled.ts';
import type { Context } from '../graphql/context.ts';
import type { Marked } from '../lifecycle/marked.ts';
import { useFinder } from '../lifecycle/uses.ts';
import { readBody } from './body.ts';
import { type EndpointLifecycle, endpointLifecycle } from './lifecycle.ts';
import { pathReader, queryReader } from './parameters.ts';
import type { Answer, ReplyContext, Route } from './route.ts';
import { nullDropper, selectsField } from './selection.ts';
import { type ResolvedOperation, resolveOperation } from './variables.ts';

type Values = Readonly<Record<string, unknown>>;

/** What a request brings to an endpoint. */
export interface EndpointRequest extends Pick<ReplyContext, 'address' | 'nextPage'> {
  /** What the path says; throws INVALID_ARGUMENT when that cannot be read. */
  readPath(): Values;
  /** What follows the question mark. */
  readonly search: string;
  readBody(): Promise<unknown>;
  /** Throws a `ServiceError` when what the request uses must not be answered. */
  admit(uses: readonly Marked[]): void;
}

/** A route, made ready at boot: a request only runs. */
export interface Endpoint {
  readonly route: Route;
  readonly operation: ResolvedOperation;
  readonly lifecycle: EndpointLifecycle;
  /** Reads the segments of a path, still encoded; throws INVALID_ARGUMENT. */
  readPath(segments: Readonly<Record<string, string>>): Values;
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
  const findUses = useFinder(schema, 'ignore');
  return resolved.map(({ route, operation }) => {
    const lifecycle = endpointLifecycle({ route, operation }, resolved, findUses, page);
    return {
      route,
      operation,
      lifecycle,
      readPath: pathReader(operation.inPath),
      run: runner(schema, route, operation, lifecycle),
    };
  });
}

function runner(
  schema: GraphQLSchema,
  route: Route,
  operation: ResolvedOperation,
  { marked, given }: EndpointLifecycle,
): Endpoint['run'] {
  const always = marked === undefined ? undefined : [marked];
  const execute = compileOperation(schema, route.operation, operation.operationId);
  const readQuery = queryReader(operation.inQuery);
  const dropNulls = nullDropper(operation);
  const { inBody } = operation;
  const [inPath] = operation.inPath;
  const identity = selectsField(operation, 'id') || inPath === undefined ? 'id' : inPath.name;

  return async (request, context) => {
    if (always !== undefined) request.admit(always);
    const variables: Record<string, unknown> = { ...request.readPath(), ...readQuery(request.search) };
    if (inBody !== undefined) {
      const readOnly = { name: identity, value: inPath && variables[inPath.name] };
      variables[inBody.name] = readBody(inBody, await request.readBody(), readOnly);
    }
    if (given !== undefined) request.admit(given(variables));
    const { data, errors } = await execute(variables, context);
    if (errors?.[0] !== undefined) throw toServiceError(errors[0]);
    if (data == null) throw new ServiceError('INTERNAL', 'The service failed.');
    const value = dropNulls(data[operation.field.name]);
    return route.reply.answer(value, variables, request);
  };
}
