import { hash } from 'node:crypto';
import {
  type DocumentNode,
  type ExecutionResult,
  type FieldNode,
  type GraphQLSchema,
  isObjectType,
  Kind,
  print,
  visit,
} from 'graphql';
import { ServiceError, toServiceError } from '../errors.ts';
import { assertNoBody } from '../http/body.ts';
import { compileOperation } from '../operation/compiled.ts';
import { prepareOperation } from '../operation/prepare.ts';
import type { PreparedOperation, Variables } from '../operation/prepared.ts';
import { selectionOf } from '../operation/selection.ts';
import { type UseFinder, useFinder } from '../operation/uses.ts';
import { acceptedBodies, bodyVariables } from './body.ts';
import type { EndpointCall } from './call.ts';
import { type EndpointLifecycle, endpointLifecycle } from './lifecycle.ts';
import { isList, pathReader, queryReader } from './parameters.ts';
import { EXPECTED_VERSION, expectedVersions } from './preconditions.ts';
import { assertOwn, assertPlain, assertReply, rootType, rowConverter, selectsField } from './result.ts';
import { creates, fillTemplate, mayCreate, type ReplyContext, type Route, type RouteReply } from './route.ts';
import { type ResolvedOperation, resolveOperation } from './variables.ts';

const TOTAL = 'totalCount';

/** A route, compiled when the service starts: a request only runs. */
export interface Endpoint extends ResolvedOperation {
  readonly lifecycle: EndpointLifecycle;
  readonly prepared: PreparedOperation;
  /** The same with the total of the list, for a client that prefers it; undefined if the operation has no total. */
  readonly preparedWithTotal: PreparedOperation | undefined;
  readonly hasTag: boolean;
  /** Whether a form of any page could send a request for it: a POST that needs no JSON. */
  readonly isFormLike: boolean;
  /** Reads the variables from the encoded segments of a path; throws INVALID_ARGUMENT. */
  readPath(segments: Readonly<Record<string, string>>): Variables;
  /** Reads the operation's variables from a request. Rejects with a `ServiceError`. */
  read(call: EndpointCall): Promise<Variables>;
  /** Turns the operation's result into a response. Throws a `ServiceError` if the result has errors. */
  toAnswer(result: ExecutionResult, variables: Variables, request: ReplyContext): TaggedReply;
}

export interface TaggedReply extends RouteReply {
  /** The entity tag of the returned row; undefined if it has no version. */
  readonly etag?: string;
}

/** @throws {Error} if a route's operation does not fit the schema */
export function compileRoutes(schema: GraphQLSchema, routes: readonly Route[]): readonly Endpoint[] {
  const resolved = routes.map((route) => resolveOperation(schema, route));
  assertDistinct(resolved);
  const usesOf = useFinder(schema);
  // The defaults of variables are the route's, not the client's: they are no uses.
  const findUses: UseFinder = (selection) => usesOf({ ...selection, defaults: new Map() });
  return resolved.map((operation) => {
    const { route, operationId } = operation;
    assertPlain(operation);
    assertReply(operation);
    const lifecycle = endpointLifecycle(operation, resolved, findUses);
    const options = { findUses: () => lifecycle.uses, validate: undefined, run: compileOperation };
    const isFormLike = route.method === 'POST' && operation.bodyVariable === undefined;
    const documentWithTotal = withTotal(operation);
    // Whether it returns a row with its version, which becomes the entity tag.
    const isVersioned = route.reply.kind === 'item' && selectsField(operation, 'version');
    if (isVersioned) assertOwn(operation);
    const prepared = prepareOperation(operation.selection, options);
    assertLongestPage(operation, prepared);
    return {
      lifecycle,
      prepared,
      preparedWithTotal:
        documentWithTotal && prepareOperation(selectionOf(schema, documentWithTotal, operationId), options),
      hasTag: route.reply.kind === 'list' || isVersioned,
      isFormLike,
      readPath: pathReader(operation.pathVariables),
      read: reader(operation, isFormLike),
      toAnswer: answerer(operation, isVersioned),
      // Last: after properties that follow a spread, each would have a hidden class of its own.
      ...operation,
    };
  });
}

/** @throws {Error} for two operations, paths or fragments with one name: that of a fragment is a component's */
function assertDistinct(all: readonly ResolvedOperation[]): void {
  const operations = new Set<string>();
  const known = new Map<string, string>();
  const firstOf = (key: string, value: string) => {
    known.set(key, known.get(key) ?? value);
    return known.get(key);
  };
  for (const { route, operationId, name, selection } of all) {
    for (const one of [operationId, name]) {
      if (operations.has(one)) throw new Error(`There are two operations ${one}.`);
      operations.add(one);
    }
    const anonymous = fillTemplate(route.path, () => '{}');
    const path = firstOf(anonymous, route.path);
    if (path !== route.path) throw new Error(`${operationId}: name the variables of ${route.path} as in ${path}.`);
    const { definitions } = selection.document;
    const fragments = definitions.filter((node) => node.kind === Kind.FRAGMENT_DEFINITION);
    const other = fragments.find((node) => firstOf(node.name.value, print(node)) !== print(node))?.name.value;
    if (other !== undefined)
      throw new Error(`${operationId}: another route has a different fragment ${other}; give this one its own name.`);
  }
}

/** @throws {Error} if the longest page that its parameters allow may be too large: clients would fail once texts are long */
function assertLongestPage({ operationId, queryVariables }: ResolvedOperation, { maxRuns }: PreparedOperation): void {
  const greatest = queryVariables.map(
    ({ name, argument }) => [name, argument.extensions.bounds?.jsonSchema.maximum] as const,
  );
  try {
    maxRuns(Object.fromEntries(greatest.filter(([, maximum]) => maximum !== undefined)));
  } catch (error) {
    throw new Error(`${operationId}, with its longest page: ${toServiceError(error).message}`);
  }
}

function reader(operation: ResolvedOperation, hasNoBody: boolean): Endpoint['read'] {
  const { route, queryVariables, bodyVariable, bodyFieldVariables, versionVariable } = operation;
  const readQuery = queryReader(queryVariables);
  const identity = identityOf(operation);
  const readBody = bodyVariable && bodyVariables(bodyVariable, bodyFieldVariables, identity);
  const accepted = acceptedBodies(route.method);
  const isRead = route.method === 'GET';
  const conditions = {
    isWrite: versionVariable !== undefined,
    isNew: creates(route),
    mayCreate: mayCreate(route),
  };

  return async (call) => {
    const { search, headers } = call.request;
    const variables: Record<string, unknown> = { ...call.readPath(), ...readQuery(search) };
    if (readBody !== undefined) {
      // RFC 9110, section 14.5: it would be stored as if it were the whole.
      if (route.method === 'PUT' && headers.get('content-range') !== null)
        throw new ServiceError('INVALID_ARGUMENT', 'A PUT replaces the whole row; omit Content-Range.');
      const body = await call.readBody(accepted);
      Object.assign(variables, readBody(body, variables));
    }
    if (hasNoBody) await assertNoBody(call.request);
    const expected = isRead ? undefined : expectedVersions(headers, conditions);
    if (expected !== undefined) variables[EXPECTED_VERSION] = expected;
    return variables;
  };
}

/** The fields of a row that the path says, each with its variable; undefined for the id of a new row. */
export function identityOf(operation: ResolvedOperation): ReadonlyMap<string, string | undefined> {
  const names = operation.pathVariables.map(({ name }) => name);
  const ofRow = creates(operation.route) ? undefined : names.at(-1);
  const identity = selectsField(operation, 'id') || ofRow === undefined ? 'id' : ofRow;
  const outer = names.filter((name) => selectsField(operation, name));
  return new Map([...outer.map((name) => [name, name] as const), [identity, ofRow]]);
}

/** The operation's document with the total of its page; undefined if it has none. */
function withTotal(operation: ResolvedOperation): DocumentNode | undefined {
  const { route, selection, selected } = operation;
  const type = rootType(operation);
  const isPage = route.reply.kind === 'list' && !isList(selected.field);
  if (!isPage || !isObjectType(type) || !(TOTAL in type.getFields())) return undefined;
  const { selectionSet } = selected.node;
  const total: FieldNode = { kind: Kind.FIELD, name: { kind: Kind.NAME, value: TOTAL } };
  return visit(selection.document, {
    SelectionSet: (set) => (set === selectionSet ? { ...set, selections: [...set.selections, total] } : undefined),
  });
}

function answerer(operation: ResolvedOperation, isVersioned: boolean): Endpoint['toAnswer'] {
  const { reply } = operation.route;
  const convert = rowConverter(operation);
  const shape = isVersioned ? shapeOf(operation) : undefined;

  return ({ data, errors }, variables, request) => {
    if (data == null || errors?.[0] !== undefined) throw toServiceError(errors?.[0]);
    const value = convert(data[operation.selected.field.name]);
    if (shape === undefined || value === null) return reply.answer(value, variables, request);
    const row = value as { version: unknown };
    const { version } = row;
    // JSON.stringify omits undefined.
    row.version = undefined;
    const { status, body, headers } = reply.answer(row, variables, request);
    return { status, body, headers, etag: `"${version}-${shape}"` };
  };
}

/** Changes with the fields of a row: after a release that adds one, clients must not get 304 for rows that lack it. */
function shapeOf({ selected }: ResolvedOperation): string {
  const fields = selected.within.map(({ field }) => `${field.name}: ${field.type}`);
  return hash('sha1', fields.join(), 'base64url').slice(0, 6);
}
