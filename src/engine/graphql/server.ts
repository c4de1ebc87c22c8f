import { type ExecutionResult, type GraphQLError, type GraphQLSchema, stripIgnoredCharacters } from 'graphql';
import type { GraphQLParams } from 'graphql-yoga';
import type { Authentication } from '../auth/authentication.ts';
import { ServiceError } from '../errors.ts';
import { JSON_TYPE, mediaTypeReader } from '../http/graphql-media-type.ts';
import { fingerprintOf } from '../idempotency/key.ts';
import type { Outcome } from '../idempotency/run.ts';
import { byCoordinate } from '../lifecycle/guard.ts';
import { Pace } from '../limits/pace.ts';
import type { ListCosts } from '../limits/units.ts';
import { PreparedDocuments } from '../operation/documents.ts';
import type { ExecuteOperation } from '../operation/execute.ts';
import type { PreparedOperation, Rejection, Variables } from '../operation/prepared.ts';
import { rejected, toClientError } from './errors.ts';
import { assertExtensions, type LifecycleExtension, lifecycleExtension } from './lifecycle.ts';
import { type GraphQLRequest, readParams } from './params.ts';
import { createToOutcome } from './reply.ts';
import { createPreparer } from './yoga.ts';

/** What the server is made of. */
interface GraphQLServerOptions {
  readonly schema: GraphQLSchema;
  /** The path it is served at. */
  readonly endpoint: string;
  readonly authentication: Authentication;
  readonly executeOperation: ExecuteOperation;
  /** What lists cost; the least where that is not told. */
  readonly costs?: ListCosts;
  /** The path of the page about deprecations and sunsets. */
  readonly lifecyclePage: string;
  /** Whether the schema may be asked for, and whether a misspelt name is answered with those that it has. */
  readonly introspection: boolean;
  readonly suggestions: boolean;
}

/** An answer, with its labels for metrics and the log. */
export interface GraphQLAnswer extends Outcome {
  /** The root field that the operation selects, `several`, or `none`: a label of few values. */
  readonly operation: string;
}

/** How many characters of new documents are read at once for a caller. */
const CHARACTERS_AT_ONCE = 4_000;

/** Codes that the HTTP status reports whatever the client accepts: the caller may not use the service, or not now. */
const BY_STATUS: ReadonlySet<string> = new Set(['UNAUTHENTICATED', 'FORBIDDEN', 'RATE_LIMITED']);

/** GraphQL over HTTP: maps requests to prepared operations, and results to answers. */
export function createGraphQLServer(
  options: GraphQLServerOptions,
): (request: GraphQLRequest) => Promise<GraphQLAnswer> {
  const { schema, authentication, executeOperation, lifecyclePage } = options;
  const documents = new PreparedDocuments(schema, options.introspection ? 'shown' : 'hidden', options.costs);
  const preparer = createPreparer(documents, options);
  const toOutcome = createToOutcome(preparer.fetchAPI);
  const mediaTypeFor = mediaTypeReader();
  const pace = new Pace(CHARACTERS_AT_ONCE);

  return async (request) => {
    const wanted = mediaTypeFor(request.headers.get('accept'));
    const mediaType = wanted ?? JSON_TYPE;
    let [operation, extension]: [string, LifecycleExtension | undefined] = ['none', undefined];
    try {
      const entering = authentication.authenticate(request);
      const caller = entering instanceof Promise ? await entering : entering;
      if (wanted === undefined) throw notAcceptable();
      const params = await readParams(request, (bytes) => authentication.chargeBody(request, bytes));
      const prepared = findPrepared(request, params) ?? (await prepare(request, params));
      if (!('run' in prepared)) return { ...toOutcome(prepared, mediaType, undefined), operation };
      operation = prepared.label;
      const { query = '', operationName, extensions } = params as GraphQLParams;
      const variables: Variables = (params as GraphQLParams).variables ?? {};
      extension = lifecycleExtension(prepared, variables, request.base, lifecyclePage, extensions);
      const mayRead = authentication.mayRead(caller);
      const outcome = await executeOperation(prepared, {
        request,
        caller,
        labels: byCoordinate,
        variables: () => {
          assertExtensions(extensions);
          return variables;
        },
        // Layout and comments of a document, and what stands for no variables, ask for nothing.
        fingerprint: () => fingerprintOf('graphql', stripIgnoredCharacters(query), operationName ?? null, variables),
        reject: (rejections) => {
          // A caller that may not use the operation is told nothing of its lifecycle.
          const isOutside = rejections.some(({ error }) => BY_STATUS.has(error.code));
          return toOutcome({ errors: rejections.map(toError) }, mediaType, isOutside ? undefined : extension);
        },
        reply: (result) => toOutcome(forCaller(result, mayRead), mediaType, extension),
      });
      return { ...outcome, operation };
    } catch (error) {
      return { ...toOutcome({ errors: [toClientError(error)] }, mediaType, extension), operation };
    }
  };

  /** Undefined for one that has to be prepared, or must not be asked for in this way. */
  function findPrepared({ method }: GraphQLRequest, params: GraphQLParams | undefined): PreparedOperation | undefined {
    if (params === undefined || !isWellFormed(params)) return undefined;
    const prepared = documents.find(params.query, params.operationName ?? undefined);
    return prepared?.kind === 'change' && method !== 'POST' ? undefined : prepared;
  }

  /** New documents take long to read: of each caller some are read at a time, and what others have sent in between. */
  async function prepare(request: GraphQLRequest, params: GraphQLParams | undefined) {
    const query = params?.query;
    if (typeof query === 'string' && documents.get(query) === undefined) {
      await pace.next(request.meter.account, query.length);
    }
    return preparer.prepare(request, params);
  }
}

/** A request as most are: anything else is looked at by Yoga. */
function isWellFormed(params: GraphQLParams): params is GraphQLParams & { readonly query: string } {
  const { query, operationName, variables, extensions, ...others } = params;
  for (const _ in others) return false;
  return (
    typeof query === 'string' &&
    (operationName == null || (typeof operationName === 'string' && operationName !== '')) &&
    isOptionalObject(variables) &&
    isOptionalObject(extensions)
  );
}

function isOptionalObject(value: unknown): boolean {
  return value == null || (typeof value === 'object' && !Array.isArray(value));
}

function toError({ error, node }: Rejection): GraphQLError {
  return rejected(error, { spec: !BY_STATUS.has(error.code) }, node);
}

/** The same result; its errors have the messages for their caller. */
function forCaller(result: ExecutionResult, mayRead: boolean): ExecutionResult {
  if (result.errors === undefined) return result;
  return { ...result, errors: result.errors.map((error) => toClientError(error, mayRead)) };
}

/** Before anything is done. */
function notAcceptable(): ServiceError {
  const message = `Answers are ${JSON_TYPE} or application/graphql-response+json, and the Accept field excludes both.`;
  return new ServiceError('NOT_ACCEPTABLE', message);
}
