import { type DocumentNode, type FieldNode, type GraphQLSchema, Kind, visit } from 'graphql';
import { scopesOf } from '../auth/scope.ts';
import type { ListTables } from '../db/paging.ts';
import { ServiceError, toServiceError } from '../errors.ts';
import { compileOperation } from '../graphql/compiled.ts';
import { searchesOf } from '../graphql/connection-type.ts';
import type { Context } from '../graphql/context.ts';
import type { RequestHeaders } from '../http/incoming.ts';
import type { Marked } from '../lifecycle/marked.ts';
import { useFinder } from '../lifecycle/uses.ts';
import { readBody } from './body.ts';
import { type EndpointLifecycle, endpointLifecycle } from './lifecycle.ts';
import { pathReader, queryReader } from './parameters.ts';
import { EXPECTED_VERSION, expectedVersions } from './preconditions.ts';
import { prefersCount } from './prefer.ts';
import { type Answer, mayBegin, type ReplyContext, type Route } from './route.ts';
import { nullDropper, rootType, selectsField } from './selection.ts';
import { type ResolvedOperation, resolveOperation } from './variables.ts';

type Values = Readonly<Record<string, unknown>>;

/** The field of a connection that counts its list. */
const TOTAL = 'totalCount';

/** What a request brings to an endpoint. */
export interface EndpointRequest extends Pick<ReplyContext, 'address' | 'nextPage'> {
  /** What the path says; throws INVALID_ARGUMENT when that cannot be read. */
  readPath(): Values;
  /** What follows the question mark. */
  readonly search: string;
  readonly headers: RequestHeaders;
  readBody(): Promise<unknown>;
  /** Throws a `ServiceError` when what the request uses must not be answered. */
  admit(uses: readonly Marked[]): void;
}

/** A route, made ready at boot: a request only runs. */
export interface Endpoint {
  readonly route: Route;
  readonly operation: ResolvedOperation;
  readonly lifecycle: EndpointLifecycle;
  /** What a caller must be allowed to do. */
  readonly scopes: readonly string[];
  /** Whether its answers have an entity tag. */
  readonly hasTag: boolean;
  /** Its list where it is a search with these variables: it costs more. */
  searchedList(variables: Values): ListTables | undefined;
  /** The list that it counts where the client would have it counted; undefined for none. */
  readonly counts: ListTables | undefined;
  /** Reads the segments of a path, still encoded; throws INVALID_ARGUMENT. */
  readPath(segments: Readonly<Record<string, string>>): Values;
  /** Reads all that a request asks for: the operation's variables. Rejects with a `ServiceError`. */
  read(request: EndpointRequest): Promise<Values>;
  /** Does what they ask for. Rejects with a `ServiceError`. */
  run(variables: Values, request: EndpointRequest, context: Context): Promise<Answer>;
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
    operation: resolveOperation(schema, route.operation, route.path, route.readOnly),
  }));
  const findUses = useFinder(schema, 'ignore');
  return resolved.map(({ route, operation }) => {
    const lifecycle = endpointLifecycle({ route, operation }, resolved, findUses, page);
    return {
      route,
      operation,
      lifecycle,
      scopes: scopesOf(schema, route.operation, operation.operationId),
      hasTag: route.reply.kind === 'list' || isVersioned({ route, operation }),
      searchedList: searchesOf(rootType(operation)) ?? (() => undefined),
      counts: countedBy(operation),
      readPath: pathReader(operation.inPath),
      read: reader(route, operation, lifecycle),
      run: runner(schema, route, operation),
    };
  });
}

/** Whether the operation answers with a row and its version, which becomes the entity tag. */
function isVersioned({ route, operation }: Pick<Endpoint, 'route' | 'operation'>): boolean {
  return route.reply.kind === 'item' && selectsField(operation, 'version');
}

function reader(route: Route, operation: ResolvedOperation, { marked, given }: EndpointLifecycle): Endpoint['read'] {
  const always = marked === undefined ? undefined : [marked];
  const readQuery = queryReader(operation.inQuery);
  const { inBody, besideBody, inPrecondition } = operation;
  const [inPath] = operation.inPath;
  const identity = selectsField(operation, 'id') || inPath === undefined ? 'id' : inPath.name;
  const isRead = route.method === 'GET';
  const conditions = {
    isWrite: inPrecondition !== undefined,
    mayBegin: mayBegin(route),
  };

  return async (request) => {
    if (always !== undefined) request.admit(always);
    const variables: Record<string, unknown> = { ...request.readPath(), ...readQuery(request.search) };
    if (inBody !== undefined) {
      const readOnly = { name: identity, value: inPath && variables[inPath.name] };
      Object.assign(variables, readBody(inBody, besideBody, await request.readBody(), readOnly));
    }
    const expected = isRead ? undefined : expectedVersions(request.headers, conditions);
    if (expected !== undefined) variables[EXPECTED_VERSION] = expected;
    if (given !== undefined) request.admit(given(variables));
    return variables;
  };
}

/** The list that an operation's connection can count. */
function countedBy(operation: ResolvedOperation): ListTables | undefined {
  return rootType(operation).getFields()[TOTAL]?.extensions.countsList as ListTables | undefined;
}

/** The operation's document, in which the root field is asked for its total too. */
function withTotal({ operation: document }: Route, { fieldNode }: ResolvedOperation): DocumentNode {
  const total: FieldNode = { kind: Kind.FIELD, name: { kind: Kind.NAME, value: TOTAL } };
  return visit(document, {
    Field: (node) =>
      node !== fieldNode || node.selectionSet === undefined
        ? undefined
        : { ...node, selectionSet: { ...node.selectionSet, selections: [...node.selectionSet.selections, total] } },
  });
}

function runner(schema: GraphQLSchema, route: Route, operation: ResolvedOperation): Endpoint['run'] {
  const executeUsually = compileOperation(schema, route.operation, operation.operationId);
  const executeCounted =
    countedBy(operation) && compileOperation(schema, withTotal(route, operation), operation.operationId);
  const dropNulls = nullDropper(operation);
  const hasVersion = isVersioned({ route, operation });

  return async (variables, request, context) => {
    const isCounted = executeCounted !== undefined && prefersCount(request.headers);
    const execute = isCounted ? executeCounted : executeUsually;
    const { data, errors } = await execute(variables, context);
    if (errors?.[0] !== undefined) throw toServiceError(errors[0]);
    if (data == null) throw new ServiceError('INTERNAL', 'The service failed.');
    const value = dropNulls(data[operation.field.name]);
    if (!hasVersion || value === null) return route.reply.answer(value, variables, request);
    const row = value as { version: unknown };
    const { version } = row;
    // JSON leaves it out.
    row.version = undefined;
    const { status, body, headers } = route.reply.answer(row, variables, request);
    return { status, body, headers, version };
  };
}
