import {
  type DocumentNode,
  type ExecutionResult,
  type FieldNode,
  type GraphQLSchema,
  isObjectType,
  Kind,
  visit,
} from 'graphql';
import { ServiceError, toServiceError } from '../errors.ts';
import type { RequestHeaders } from '../http/headers.ts';
import { type ListCosts, listCosts } from '../limits/units.ts';
import { compileOperation } from '../operation/compiled.ts';
import { prepareOperation } from '../operation/prepare.ts';
import type { PreparedOperation, Variables } from '../operation/prepared.ts';
import { useFinder } from '../operation/uses.ts';
import { readBody } from './body.ts';
import { type EndpointLifecycle, endpointLifecycle } from './lifecycle.ts';
import { pathReader, queryReader } from './parameters.ts';
import { EXPECTED_VERSION, expectedVersions } from './preconditions.ts';
import { type Answer, mayCreate, type ReplyContext, type Route } from './route.ts';
import { assertPlain, nullDropper, rootType, selectsField } from './selection.ts';
import { type ResolvedOperation, resolveOperation } from './variables.ts';

/** The field of a connection that counts its list. */
const TOTAL = 'totalCount';

/** What a request brings to an endpoint. */
export interface EndpointRequest extends Pick<ReplyContext, 'address' | 'nextPage'> {
  /** What the path says; throws INVALID_ARGUMENT when that cannot be read. */
  readPath(): Variables;
  /** What follows the question mark. */
  readonly search: string;
  readonly headers: RequestHeaders;
  readBody(): Promise<unknown>;
}

/** A route, made ready at boot: a request only runs. */
export interface Endpoint {
  readonly route: Route;
  readonly operation: ResolvedOperation;
  readonly lifecycle: EndpointLifecycle;
  readonly prepared: PreparedOperation;
  /** The same for a client that would have the list counted; undefined where there is none to count. */
  readonly preparedWithTotal: PreparedOperation | undefined;
  /** Whether its answers have an entity tag. */
  readonly hasTag: boolean;
  /** Reads the segments of a path, still encoded; throws INVALID_ARGUMENT. */
  readPath(segments: Readonly<Record<string, string>>): Variables;
  /** Reads all that a request asks for: the operation's variables. Rejects with a `ServiceError`. */
  read(request: EndpointRequest): Promise<Variables>;
  /** Makes the answer of the operation's result. Throws a `ServiceError` where that has failed. */
  toAnswer(result: ExecutionResult, variables: Variables, request: EndpointRequest): Answer;
}

/**
 * Makes the endpoints of the routes.
 *
 * @param page the path of the page about deprecations and sunsets
 * @param costs what lists cost
 * @throws {Error} when a route's operation does not fit the schema
 */
export function compileRoutes(
  schema: GraphQLSchema,
  routes: readonly Route[],
  page: string,
  costs: ListCosts = listCosts(() => []),
): readonly Endpoint[] {
  const resolved = routes.map((route) => ({
    route,
    operation: resolveOperation(schema, route.operation, route.path, route.readOnly),
  }));
  const findUses = useFinder(schema, 'ignore');
  return resolved.map(({ route, operation }) => {
    assertPlain(operation);
    const { operationId } = operation;
    const lifecycle = endpointLifecycle({ route, operation }, resolved, findUses, page);
    const { annotated, given } = lifecycle;
    const prepare = (document: DocumentNode) =>
      prepareOperation(schema, document, operationId, {
        // The fields that it selects are the route's choice and not the client's.
        findUses: () => ({ always: annotated === undefined ? [] : [annotated], given }),
        costs,
        validate: undefined,
        run: (_, plans) => compileOperation(schema, document, operationId, plans),
      });
    return {
      route,
      operation,
      lifecycle,
      prepared: prepare(route.operation),
      preparedWithTotal: hasTotal(operation) ? prepare(withTotal(route, operation)) : undefined,
      hasTag: route.reply.kind === 'list' || isVersioned({ route, operation }),
      readPath: pathReader(operation.inPath),
      read: reader(route, operation),
      toAnswer: answerer(route, operation),
    };
  });
}

/** Whether the operation answers with a row and its version, which becomes the entity tag. */
function isVersioned({ route, operation }: Pick<Endpoint, 'route' | 'operation'>): boolean {
  return route.reply.kind === 'item' && selectsField(operation, 'version');
}

function reader(route: Route, operation: ResolvedOperation): Endpoint['read'] {
  const readQuery = queryReader(operation.inQuery);
  const { inBody, besideBody, inPrecondition } = operation;
  const [inPath] = operation.inPath;
  const identity = selectsField(operation, 'id') || inPath === undefined ? 'id' : inPath.name;
  const isRead = route.method === 'GET';
  const conditions = {
    isWrite: inPrecondition !== undefined,
    mayCreate: mayCreate(route),
  };

  return async (request) => {
    const variables: Record<string, unknown> = { ...request.readPath(), ...readQuery(request.search) };
    if (inBody !== undefined) {
      const readOnly = { name: identity, value: inPath && variables[inPath.name] };
      Object.assign(variables, readBody(inBody, besideBody, await request.readBody(), readOnly));
    }
    const expected = isRead ? undefined : expectedVersions(request.headers, conditions);
    if (expected !== undefined) variables[EXPECTED_VERSION] = expected;
    return variables;
  };
}

/** Whether the operation's connection can be counted. */
function hasTotal(operation: ResolvedOperation): boolean {
  const type = rootType(operation);
  return isObjectType(type) && TOTAL in type.getFields();
}

/** The operation's document, in which the root field is asked for its total too. */
function withTotal({ operation: document }: Route, { selected: { node: root } }: ResolvedOperation): DocumentNode {
  const total: FieldNode = { kind: Kind.FIELD, name: { kind: Kind.NAME, value: TOTAL } };
  return visit(document, {
    Field: (node) =>
      node !== root || node.selectionSet === undefined
        ? undefined
        : { ...node, selectionSet: { ...node.selectionSet, selections: [...node.selectionSet.selections, total] } },
  });
}

function answerer(route: Route, operation: ResolvedOperation): Endpoint['toAnswer'] {
  const dropNulls = nullDropper(operation);
  const hasVersion = isVersioned({ route, operation });

  return ({ data, errors }, variables, request) => {
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
