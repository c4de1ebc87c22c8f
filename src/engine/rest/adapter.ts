import { addRoute, createRouter } from 'rou3';
import { compileRouter } from 'rou3/compiler';
import type { Authentication, Metered } from '../auth/authentication.ts';
import { ServiceError, toServiceError } from '../errors.ts';
import { readJson, type WithBody } from '../http/body.ts';
import { isKnown, isMatch, tagOf } from '../http/etag.ts';
import type { RequestHeaders } from '../http/headers.ts';
import { acceptsJson } from '../http/negotiation.ts';
import { fieldOf, type HeaderFields, type HttpReply } from '../http/reply.ts';
import { fingerprintOf } from '../idempotency/key.ts';
import type { Outcome } from '../idempotency/run.ts';
import { stringifyJson } from '../json.ts';
import type { ExecuteOperation } from '../operation/execute.ts';
import { assertMediaType, mediaTypesFor } from './body.ts';
import type { Endpoint, EndpointRequest } from './compile.ts';
import { splitPair } from './parameters.ts';
import { versionTag } from './preconditions.ts';
import { prefersCount } from './prefer.ts';
import { errorReply } from './problem.ts';
import type { Answer } from './route.ts';

/** A request to a path of this service, split into what routing needs. */
interface RestRequest extends WithBody, Metered {
  readonly method: string;
  /** Without the base path, still percent-encoded. */
  readonly path: string;
  /** What follows the question mark; empty for nothing. */
  readonly search: string;
  /** The absolute address of a path of the service. */
  address(path: string): string;
}

/** An answer, with its labels for metrics and the log. */
export interface RestAnswer extends Outcome {
  readonly protocol: 'rest';
  /** The operationId, or what else was asked for: a label of few values. */
  readonly operation: string;
}

/** A path, and the endpoints under it by their methods. */
interface Resource {
  readonly endpoints: ReadonlyMap<string, Endpoint>;
  /** The header fields that tell of the methods. */
  readonly methods: { readonly allow: string; readonly 'accept-patch'?: string };
}

/** Answers the requests to the endpoints' paths; undefined for a path that none of them has. */
type RestAdapter = (request: RestRequest) => Promise<RestAnswer> | undefined;

/** What the adapter is made of. */
interface RestAdapterOptions {
  readonly endpoints: readonly Endpoint[];
  readonly authentication: Authentication;
  readonly executeOperation: ExecuteOperation;
}

/** Puts the endpoints under their paths. */
export function createRestAdapter(options: RestAdapterOptions): RestAdapter {
  const { endpoints, authentication, executeOperation } = options;
  const router = createRouter<Resource>();
  for (const path of new Set(endpoints.map(({ route }) => route.path))) {
    const pattern = path.replaceAll(/\{(\w+)\}/g, ':$1');
    addRoute(router, '', pattern, resourceOf(endpoints.filter(({ route }) => route.path === path)));
  }

  const findRoute = compileRouter(router);

  return (request) => {
    // The router would take `/books/` for `/books`, and so an empty id for the whole list.
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
    return executeOperation(isCounted ? preparedWithTotal : prepared, {
      request,
      caller,
      labels: lifecycle.labels(call),
      variables: () => {
        if (acceptsJson(accept)) return endpoint.read(call);
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

/** Of a row's version; or of a list, of which the next page's address is a part. */
function etagOf(version: unknown, isList: boolean, headers: HeaderFields, text: string): HeaderFields {
  if (version !== undefined) return ['etag', versionTag(version)];
  return isList ? ['etag', tagOf(headers.join() + text)] : [];
}

/**
 * What a GET answers under its preconditions, in their order (RFC 9110, section 13.2.2): a client that has it already
 * is told so instead.
 *
 * @throws {ServiceError} PRECONDITION_FAILED when it is not what the client wants
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
  // The content type, which comes last, is of a body.
  return { status: 304, headers: reply.headers.slice(0, -2), body: null };
}

/** What a client may send all the same, and what would end the address in a `Link` field. */
const NOT_OF_ADDRESSES = /[<>"\\^`{|}]/g;

/** A request on its way through its endpoint. */
class EndpointCall implements EndpointRequest {
  /** The values of the path's variables; none where they cannot be read. */
  readonly inPath: Readonly<Record<string, unknown>>;
  readonly search: string;
  readonly headers: RequestHeaders;
  readonly #unreadable: unknown;
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
      this.#unreadable = error;
    }
  }

  readPath(): Readonly<Record<string, unknown>> {
    if (this.#unreadable !== undefined) throw this.#unreadable;
    return this.inPath;
  }

  address(path: string): string {
    return this.#request.address(path);
  }

  nextPage(cursor: string): string {
    const kept = this.search.split('&').filter((pair) => pair !== '' && splitPair(pair)[0] !== 'after');
    const query = [...kept, `after=${cursor}`].join('&').replaceAll(NOT_OF_ADDRESSES, encodeURIComponent);
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
