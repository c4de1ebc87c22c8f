import { addRoute, createRouter } from 'rou3';
import { compileRouter } from 'rou3/compiler';
import { ServiceError, toServiceError } from '../errors.ts';
import type { Context } from '../graphql/context.ts';
import { readJson, type WithBody } from '../http/body.ts';
import { acceptsJson } from '../http/negotiation.ts';
import { type HttpReply, mergeHeaders } from '../http/reply.ts';
import { stringifyJson } from '../json.ts';
import { type Admit, wantsStrict } from '../lifecycle/admit.ts';
import type { Marked } from '../lifecycle/marked.ts';
import { assertMediaType, mediaTypesFor } from './body.ts';
import type { Endpoint, EndpointRequest } from './compile.ts';
import { splitPair } from './parameters.ts';
import { errorReply } from './problem.ts';

/** A request to a path of this service, split into what routing needs. */
export interface RestRequest extends WithBody {
  readonly method: string;
  /** Without the base path, still percent-encoded. */
  readonly path: string;
  /** What follows the question mark; empty for nothing. */
  readonly search: string;
  /** The absolute address of a path of the service. */
  address(path: string): string;
}

export interface RestReply extends HttpReply {
  /** The operationId, or what else was asked for: a label of few values. */
  readonly operation: string;
  /** The failure that is answered, for the log. */
  readonly error?: ServiceError;
}

/** A path, and the endpoints under it by their methods. */
interface Resource {
  readonly endpoints: ReadonlyMap<string, Endpoint>;
  readonly allow: string;
  readonly acceptPatch: Readonly<Record<string, string>>;
}

/** Answers the requests to the endpoints' paths; undefined for a path that none of them has. */
export type RestAdapter = (request: RestRequest) => Promise<RestReply> | undefined;

/** Puts the endpoints under their paths. */
export function createRestAdapter(endpoints: readonly Endpoint[], context: Context, admit: Admit): RestAdapter {
  const router = createRouter<Resource>();
  for (const path of new Set(endpoints.map(({ route }) => route.path))) {
    const pattern = path.replaceAll(/\{(\w+)\}/g, ':$1');
    addRoute(router, '', pattern, resourceOf(endpoints.filter(({ route }) => route.path === path)));
  }

  const findRoute = compileRouter(router);

  return (request) => {
    // The router would take `/pets/` for `/pets`, and so an empty id for the whole list.
    const match = request.path.endsWith('/') ? undefined : findRoute('', request.path);
    if (match === undefined) return undefined;
    return answer(match.data, match.params ?? {}, request, context, admit);
  };
}

function resourceOf(endpoints: readonly Endpoint[]): Resource {
  const methods = endpoints.map(({ route }) => route.method);
  const allow = [...methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])), 'OPTIONS'].join(', ');
  return {
    endpoints: new Map(endpoints.map((endpoint) => [endpoint.route.method, endpoint])),
    allow,
    acceptPatch: methods.includes('PATCH') ? { 'accept-patch': mediaTypesFor('PATCH').join(', ') } : {},
  };
}

async function answer(
  resource: Resource,
  segments: Readonly<Record<string, string>>,
  request: RestRequest,
  context: Context,
  admit: Admit,
): Promise<RestReply> {
  const { method, path } = request;
  const accept = request.headers.get('accept');
  if (method === 'OPTIONS') {
    const headers = { allow: resource.allow, ...resource.acceptPatch };
    return { status: 204, headers, body: null, operation: 'options' };
  }
  const endpoint = resource.endpoints.get(method === 'HEAD' ? 'GET' : method);
  if (endpoint === undefined) {
    const error = new ServiceError('METHOD_NOT_ALLOWED', `${path} has no method ${method}; it has ${resource.allow}.`, {
      headers: { allow: resource.allow, ...resource.acceptPatch },
    });
    return { ...errorReply(error, accept), operation: 'methodNotAllowed', error };
  }
  const { operationId } = endpoint.operation;
  const call = new EndpointCall(endpoint, segments, request, admit);
  const always = endpoint.lifecycle.headersFor(call);
  try {
    if (!acceptsJson(accept)) {
      throw new ServiceError('NOT_ACCEPTABLE', 'Answers are application/json; the Accept field takes none of it.');
    }
    const { status, body, headers } = await endpoint.run(call, context);
    const merged = headers === undefined ? { ...always } : mergeHeaders(always, headers);
    if (body === undefined) return { status, headers: merged, body: null, operation: operationId };
    merged['content-type'] = 'application/json';
    return { status, headers: merged, body: stringifyJson(body), operation: operationId };
  } catch (thrown) {
    const error = toServiceError(thrown);
    return { ...errorReply(error, accept, always), operation: operationId, error };
  }
}

/** A request on its way through its endpoint. */
class EndpointCall implements EndpointRequest {
  /** The values of the path's variables; none where they cannot be read. */
  readonly inPath: Readonly<Record<string, unknown>>;
  readonly search: string;
  readonly #unreadable: unknown;
  readonly #endpoint: Endpoint;
  readonly #request: RestRequest;
  readonly #admit: Admit;

  constructor(endpoint: Endpoint, segments: Readonly<Record<string, string>>, request: RestRequest, admit: Admit) {
    this.#endpoint = endpoint;
    this.#request = request;
    this.#admit = admit;
    this.search = request.search;
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
    return this.address(`${this.#request.path}?${[...kept, `after=${cursor}`].join('&')}`);
  }

  admit(uses: readonly Marked[]): void {
    const { headers } = this.#request;
    this.#admit(uses, { headers, isStrict: wantsStrict(headers) }, this.#endpoint.lifecycle.naming(this));
  }

  async readBody(): Promise<unknown> {
    const { method } = this.#endpoint.route;
    const contentType = this.#request.headers.get('content-type');
    if (contentType !== null) assertMediaType(method, contentType);
    const body = await readJson(this.#request);
    if (contentType === null) assertMediaType(method, null);
    return body;
  }
}
