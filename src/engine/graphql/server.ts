import { GraphQLError, stripIgnoredCharacters } from 'graphql';
import type { Authentication } from '../auth/authentication.ts';
import { ServiceError } from '../errors.ts';
import type { RequestHeaders } from '../http/headers.ts';
import type { IncomingRequest } from '../http/incoming.ts';
import { acceptsEventStream, graphqlType, namesEventStream } from '../http/negotiation.ts';
import { type Answered, type HttpReply, labeled, type Outcome, withType } from '../http/reply.ts';
import { fingerprintOf } from '../idempotency/key.ts';
import { isReplay } from '../idempotency/run.ts';
import { byCoordinate } from '../lifecycle/enforcement.ts';
import { CpuThrottle } from '../limits/cpu-throttle.ts';
import { PreparedDocuments } from '../operation/documents.ts';
import type { ExecuteOperation } from '../operation/execute.ts';
import type { PreparedOperation, Rejection } from '../operation/prepared.ts';
import type { MaxWait } from '../queue.ts';
import { forCaller, isWrapper, toClientError } from './errors.ts';
import { assertExtensions, type LifecycleExtension, lifecycleExtensions, NO_LIFECYCLE } from './lifecycle.ts';
import { type GraphQLParams, readParams } from './params.ts';
import { toOutcome } from './reply.ts';
import { asStream, type Subscriptions, subscriptionOpener } from './stream.ts';
import { createPreparer, type PreparerOptions } from './yoga.ts';

interface GraphQLServerOptions extends PreparerOptions {
  readonly authentication: Authentication;
  readonly executeOperation: ExecuteOperation;
  readonly subscriptions: Subscriptions;
  /** How long an operation waits for its turn to be prepared; no limit if absent. */
  readonly maxWait?: MaxWait;
}

/** The maximum number of characters of documents whose operations are prepared at once for a caller; its others wait. */
const CHARACTERS_AT_ONCE = 4_000;

const NOT_JSON =
  'Responses are application/json or application/graphql-response+json, and the Accept field excludes both.';
const NEEDS_STREAM = 'A subscription is a stream: send Accept: text/event-stream.';

/** Codes whose HTTP status is sent with every media type: the caller may not use the service, or not now. */
const ALWAYS_BY_STATUS: ReadonlySet<string> = new Set(['UNAUTHENTICATED', 'FORBIDDEN', 'RATE_LIMITED']);

/** Creates the GraphQL over HTTP server: it maps requests to prepared operations, and results to responses. */
export function createGraphQLServer(options: GraphQLServerOptions): (request: IncomingRequest) => Promise<Answered> {
  const { authentication, executeOperation } = options;
  const openStream = subscriptionOpener(options.subscriptions);
  const documents = new PreparedDocuments(options.schema, options.introspection ? 'shown' : 'hidden');
  const prepareNew = createPreparer(documents, options);
  const extensionFor = lifecycleExtensions();
  const prepareThrottle = new CpuThrottle(CHARACTERS_AT_ONCE, options.maxWait);

  return async (request) => {
    const accept = request.headers.get('accept');
    const { isAcceptable, mediaType, wantsStream } = negotiate(accept);
    let [operation, extension] = ['none', NO_LIFECYCLE];
    try {
      const entering = authentication.authenticate(request);
      const caller = entering instanceof Promise ? await entering : entering;
      if (!isAcceptable) throw new ServiceError('NOT_ACCEPTABLE', NOT_JSON);
      const params = await readParams(request);
      const prepared = findPrepared(request, params) ?? (await prepare(request, params));
      if (!('run' in prepared))
        return labeled('graphql', operation, toOutcome(prepared, mediaType, extension, 'document'));
      operation = prepared.label;
      const { query, operationName, extensions, variables = {} } = params;
      extension = extensionFor(prepared.uses, variables, request.base, extensions);
      const mayRead = authentication.mayRead(caller);
      if (prepared.kind === 'stream' && !namesEventStream(accept)) {
        throw new ServiceError('NOT_ACCEPTABLE', NEEDS_STREAM);
      }
      const outcome = await executeOperation(prepared, {
        request,
        caller,
        labels: byCoordinate,
        variables: () => {
          assertExtensions(extensions);
          if (prepared.kind === 'change') assertNoPrecondition(request.headers);
          return variables;
        },
        // The layout and comments of the document make no difference, and neither do missing, null or empty variables.
        fingerprint: () => fingerprintOf('graphql', stripIgnoredCharacters(query), operationName ?? null, variables),
        reject: (rejections) => toRejection(rejections, mediaType, extension),
        open:
          prepared.kind === 'stream'
            ? (_, recheck) => {
                const text = `${operationName ?? ''} ${query}`;
                return openStream({ request, operation: prepared, variables, mayRead, text, extension, recheck });
              }
            : undefined,
        reply: (result) => toOutcome(forCaller(result, mayRead), mediaType, extension),
      });
      const reply = asAccepted(outcome.reply, mediaType, wantsStream && prepared.kind !== 'stream');
      return labeled('graphql', operation, { reply, error: outcome.error });
    } catch (error) {
      return labeled('graphql', operation, toFailure(error, mediaType, extension));
    }
  };

  /** The prepared operation of a request; undefined if it has to be prepared, or does not allow the method. */
  function findPrepared({ method }: IncomingRequest, params: GraphQLParams): PreparedOperation | undefined {
    const prepared = documents.find(params.query, params.operationName);
    return prepared?.kind === 'change' && method !== 'POST' ? undefined : prepared;
  }

  /** Prepares an operation, even one of a known document. That takes long, so callers take turns. */
  async function prepare(request: IncomingRequest, params: GraphQLParams) {
    await request.meter.waitFor(prepareThrottle, params.query.length);
    return prepareNew(request, params);
  }
}

/** The media type of a response; a stream sends a result as an event, whose own type is the newer one. */
function negotiate(accept: string | null) {
  const wantsStream = acceptsEventStream(accept);
  const accepted = graphqlType(accept) ?? (wantsStream ? 'application/graphql-response+json' : undefined);
  return { isAcceptable: accepted !== undefined, mediaType: accepted ?? 'application/json', wantsStream };
}

function toRejection(rejections: readonly Rejection[], mediaType: string, extension: LifecycleExtension): Outcome {
  // A caller that may not use the operation gets no lifecycle information.
  const isForbidden = rejections.some(({ error }) => ALWAYS_BY_STATUS.has(error.code));
  const errors = rejections.map(({ error, node }) =>
    node === undefined ? error : new GraphQLError(error.message, { originalError: error, nodes: node }),
  );
  return isForbidden
    ? toOutcome({ errors }, mediaType, NO_LIFECYCLE, 'request')
    : toOutcome({ errors }, mediaType, extension, 'document');
}

/** Graphql-js itself throws at a document that it cannot parse. */
function toFailure(thrown: unknown, mediaType: string, extension: LifecycleExtension): Outcome {
  const errors = [toClientError(thrown)];
  return toOutcome({ errors }, mediaType, extension, isWrapper(thrown) ? 'document' : 'request');
}

/** A change of several rows cannot check a precondition, and ignoring it could lose an update. */
function assertNoPrecondition(headers: RequestHeaders): void {
  for (const name of ['If-Match', 'If-None-Match']) {
    if (headers.get(name.toLowerCase()) !== null) {
      const message = `${name} cannot be used with a mutation; pass expectedVersion instead.`;
      throw new ServiceError('INVALID_ARGUMENT', message);
    }
  }
}

/** @param asEvent whether a result is sent as the only one of a stream */
function asAccepted(reply: HttpReply, mediaType: string, asEvent: boolean): HttpReply {
  // The body of a stored reply is JSON in either media type; the first request may have accepted the other one.
  const typed = isReplay(reply) ? withType(reply, `${mediaType}; charset=utf-8`) : reply;
  return asEvent && typed.status === 200 ? asStream(typed) : typed;
}
