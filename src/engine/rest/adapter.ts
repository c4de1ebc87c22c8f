import { addRoute, createRouter } from 'rou3';
import { compileRouter } from 'rou3/compiler';
import type { Authentication, Metered } from '../auth/authentication.ts';
import { ServiceError, toServiceError } from '../errors.ts';
import { readJson, type WithBody } from '../http/body.ts';
import { isKnown, isMatch, tagOf } from '../http/etag.ts';
import type { RequestHeaders } from '../http/headers.ts';
import { acceptsEventStream, acceptsJson } from '../http/negotiation.ts';
import { fieldOf, type HeaderFields, type HttpReply } from '../http/reply.ts';
import { fingerprintOf } from '../idempotency/key.ts';
import type { Outcome } from '../idempotency/run.ts';
import { stringifyJson } from '../json.ts';
import type { ExecuteOperation } from '../operation/execute.ts';
import type { Variables } from '../operation/prepared.ts';
import { assertMediaType, mediaTypesFor } from './body.ts';
import type { Endpoint, EndpointRequest } from './compile.ts';
import { splitPair } from './parameters.ts';
import { versionTag } from './preconditions.ts';
import { prefersCount } from './prefer.ts';
import { errorReply } from './problem.ts';
import type { Answer } from './route.ts';

/** A REST request. */
interface RestRequest extends WithBody, Metered {
  readonly method: string;
  /** Without the base path, still percent-encoded. */
  readonly path: string;
  /** The query string, without the question mark. */
  readonly search: string;
  /** The absolute URL of the service. */
  readonly base: string;
}

/** A response, with its labels for metrics and the log. */
export interface RestAnswer extends Outcome {
  readonly protocol: 'rest';
  /** The operationId, `options` or `methodNotAllowed`: a label with few values. */
  readonly operation: string;
}

/** The endpoints of a path. */
interface Resource {
  /** By method. */
  readonly endpoints: ReadonlyMap<string, Endpoint>;
  /** The header fields that list the methods. */
  readonly methods: { readonly allow: string; readonly 'accept-patch'?: string };
}

/** Responds to requests for the endpoints; undefined for an unknown path. */
type RestAdapter = (request: RestRequest) => Promise<RestAnswer> | undefined;

/** What a stream depends on, beside its variables. */
interface StreamCall {
  readonly headers: RequestHeaders;
  readonly account: string;
  /** Rejects when the caller may no longer have the stream. */
  readonly recheck: () => Promise<void>;
}

/** Opens a stream of server-sent events instead of running an operation. */
export type StreamOpener = (variables: Variables, call: StreamCall) => Promise<HttpReply>;

/** The parts of the adapter. */
interface RestAdapterOptions {
  /** The operations that are streams for a client that accepts `text/event-stream`, by their ids. */
  readonly streams?: Readonly<Record<string, StreamOpener>>;
  readonly endpoints: readonly Endpoint[];
  readonly authentication: Authentication;
  readonly executeOperation: ExecuteOperation;
}

/** Creates the REST adapter: it maps requests to prepared operations, and results to responses. */
export function createRestAdapter(options: RestAdapterOptions): RestAdapter {
  const { endpoints, authentication, executeOperation, streams = {} } = options;
  const router = createRouter<Resource>();
  for (const path of new Set(endpoints.map(({ route }) => route.path))) {
    const pattern = path.replaceAll(/\{(\w+)\}/g, ':$1');
    addRoute(router, '', pattern, resourceOf(endpoints.filter(({ route }) => route.path === path)));
  }

  const findRoute = compileRouter(router);

  return (request) => {
    // The router treats `/books/` as `/books`: an empty id would return the whole list.
    const match = request.path.endsWith('/') ? undefined : findRoute('', request.path);
    if (match === undefined) return undefined;
    return answer(match.data, match.params ?? {}, request);
  };

  async function answer(
    resource: Resource,
    segments: Readonly<Record<string, string>>,
    request: RestRequest,
  ): Promise<RestAnswer> {
    const { method, path } = request;
    const accept = request.headers.get('accept');
    if (method === 'OPTIONS') {
      const headers = Object.entries(resource.methods).flat();
      return { protocol: 'rest', operation: 'options', reply: { status: 204, headers, body: null }, error: undefined };
    }
    const endpoint = resource.endpoints.get(method === 'HEAD' ? 'GET' : method);
    if (endpoint === undefined) {
      const { methods } = resource;
      const message = `${path} has no method ${method}; it accepts ${methods.allow}.`;
      const error = new ServiceError('METHOD_NOT_ALLOWED', message, { headers: methods });
      return { protocol: 'rest', operation: 'methodNotAllowed', reply: errorReply(error, accept), error };
    }
    const { operationId: operation } = endpoint.operation;
    const call = new EndpointCall(endpoint, segments, request, authentication);
    const always = endpoint.lifecycle.headersFor(call);
    try {
      return { protocol: 'rest', operation, ...(await run(endpoint, request, call, always)) };
    } catch (thrown) {
      const error = toServiceError(thrown);
      return { protocol: 'rest', operation, reply: errorReply(error, accept, always), error };
    }
  }

  async function run(
    endpoint: Endpoint,
    request: RestRequest,
    call: EndpointCall,
    always: HeaderFields,
  ): Promise<Outcome> {
    const entering = authentication.authenticate(request);
    const caller = entering instanceof Promise ? await entering : entering;
    const { prepared, preparedWithTotal, lifecycle, operation, route } = endpoint;
    const accept = call.headers.get('accept');
    const mayRead = authentication.mayRead(caller);
    const isCounted = preparedWithTotal !== undefined && prefersCount(call.headers);
    const openStream =
      route.stream !== undefined && acceptsEventStream(accept) ? streams[operation.operationId] : undefined;
    return executeOperation(isCounted ? preparedWithTotal : prepared, {
      ...(openStream && { open: (variables) => openAs(openStream, variables) }),
      request,
      caller,
      labels: lifecycle.labels(call),
      variables: () => {
        if (openStream !== undefined || acceptsJson(accept)) return endpoint.read(call);
        throw new ServiceError('NOT_ACCEPTABLE', 'Answers are application/json, which the Accept field excludes.');
      },
      fingerprint: (variables) => fingerprintOf(operation.operationId, variables),
      reject: ([{ error }]) => failed(error),
      reply: (result, variables) => {
        try {
          const reply = toReply(endpoint.toAnswer(result, variables, call), always, route.reply.kind === 'list');
          return { reply: route.method === 'GET' ? underPreconditions(reply, call.headers) : reply, error: undefined };
        } catch (thrown) {
          return failed(toServiceError(thrown, mayRead));
        }
      },
    });

    async function openAs(openStream: StreamOpener, variables: Variables): Promise<Outcome> {
      const recheck = () => authentication.recheck(request, prepared.scopes);
      const reply = await openStream(variables, { headers: request.headers, account: request.meter.account, recheck });
      return { reply: { ...reply, headers: [...always, ...reply.headers, 'vary', 'Accept'] }, error: undefined };
    }

    function failed(error: ServiceError): Outcome {
      return { reply: errorReply(error, accept, always), error };
    }
  }
}

function resourceOf(endpoints: readonly Endpoint[]): Resource {
  const methods = endpoints.map(({ route }) => route.method);
  const allow = [...methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])), 'OPTIONS'].join(', ');
  return {
    endpoints: new Map(endpoints.map((endpoint) => [endpoint.route.method, endpoint])),
    methods: { allow, ...(methods.includes('PATCH') && { 'accept-patch': mediaTypesFor('PATCH').join(', ') }) },
  };
}

function toReply({ status, body, headers = [], version }: Answer, always: HeaderFields, isList: boolean): HttpReply {
  if (body === undefined) return { status, headers: [...always, ...headers], body: null };
  const text = stringifyJson(body);
  const etag = etagOf(version, isList, headers, text);
  return { status, headers: [...always, ...headers, ...etag, 'content-type', 'application/json'], body: text };
}

/** The entity tag, from the row's version, or from the content of a list with the URL of its next page. */
function etagOf(version: unknown, isList: boolean, headers: HeaderFields, text: string): HeaderFields {
  if (version !== undefined) return ['etag', versionTag(version)];
  return isList ? ['etag', tagOf(headers.join() + text)] : [];
}

/**
 * Evaluates the preconditions of a GET, in their order (RFC 9110, section 13.2.2). The result is 304 if the client has
 * the current version already.
 *
 * @throws {ServiceError} PRECONDITION_FAILED if `If-Match` does not contain the current version
 */
function underPreconditions(reply: HttpReply, headers: RequestHeaders): HttpReply {
  const ifMatch = headers.get('if-match');
  const ifNoneMatch = headers.get('if-none-match');
  if (ifMatch === null && ifNoneMatch === null) return reply;
  const etag = fieldOf(reply.headers, 'etag');
  if (etag === undefined) return reply;
  if (ifMatch !== null && !isMatch(etag, ifMatch)) {
    throw new ServiceError('PRECONDITION_FAILED', `Its ETag is now ${etag}, which If-Match does not contain.`);
  }
  if (!isKnown(etag, ifNoneMatch)) return reply;
  // The last header field is the content type, which a response without a body does not have.
  return { status: 304, headers: reply.headers.slice(0, -2), body: null };
}

/** Characters that a URL must not contain, but clients may send; some would end the URL in a `Link` field. */
const NOT_IN_URLS = /[<>"\\^`{|}]/g;

/** A request to an endpoint. */
class EndpointCall implements EndpointRequest {
  /** The values of the path's variables; empty if they are invalid. */
  readonly inPath: Readonly<Record<string, unknown>>;
  readonly search: string;
  readonly headers: RequestHeaders;
  readonly #pathError: unknown;
  readonly #endpoint: Endpoint;
  readonly #request: RestRequest;
  readonly #authentication: Pick<Authentication, 'chargeBody'>;

  constructor(
    endpoint: Endpoint,
    segments: Readonly<Record<string, string>>,
    request: RestRequest,
    authentication: Pick<Authentication, 'chargeBody'>,
  ) {
    this.#endpoint = endpoint;
    this.#request = request;
    this.#authentication = authentication;
    this.search = request.search;
    this.headers = request.headers;
    try {
      this.inPath = endpoint.readPath(segments);
    } catch (error) {
      this.inPath = {};
      this.#pathError = error;
    }
  }

  readPath(): Readonly<Record<string, unknown>> {
    if (this.#pathError !== undefined) throw this.#pathError;
    return this.inPath;
  }

  address(path: string): string {
    return this.#request.base + path;
  }

  nextPage(cursor: string): string {
    const kept = this.search.split('&').filter((pair) => pair !== '' && splitPair(pair)[0] !== 'after');
    const query = [...kept, `after=${cursor}`].join('&').replaceAll(NOT_IN_URLS, encodeURIComponent);
    return this.address(`${this.#request.path}?${query}`);
  }

  async readBody(): Promise<unknown> {
    const { method } = this.#endpoint.route;
    const contentType = this.#request.headers.get('content-type');
    if (contentType !== null) assertMediaType(method, contentType);
    const body = await readJson(this.#request, (bytes) => this.#authentication.chargeBody(this.#request, bytes));
    if (contentType === null) assertMediaType(method, null);
    return body;
  }
}
