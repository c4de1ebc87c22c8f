import { addRoute, createRouter } from 'rou3';
import { compileRouter } from 'rou3/compiler';
import { ServiceError, toServiceError } from '../errors.ts';
import type { Context } from '../graphql/context.ts';
import { readJson, type WithBody } from '../http/body.ts';
import { acceptsJson } from '../http/negotiation.ts';
import type { HeaderFields, HttpReply } from '../http/reply.ts';
import { stringifyJson } from '../json.ts';
import { type Admit, wantsStrict } from '../lifecycle/admit.ts';
import type { Marked } from '../lifecycle/marked.ts';
import { assertMediaType, mediaTypesFor } from './body.ts';
import type { Endpoint, EndpointRequest } from './compile.ts';
import { splitPair } from './parameters.ts';
import { errorReply } from './problem.ts';
import type { Answer } from './route.ts';

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

export interface RestAnswer {
  readonly face: 'rest';
  /** The operationId, or what else was asked for: a label of few values. */
  readonly operation: string;
  readonly reply: HttpReply;
  /** The failure that is answered, for the log. */
  readonly error?: ServiceError;
}

/** A path, and the endpoints under it by their methods. */
interface Resource {
  readonly endpoints: ReadonlyMap<string, Endpoint>;
  /** The header fields that tell of the methods. */
  readonly methods: { readonly allow: string; readonly 'accept-patch'?: string };
}

/** Answers the requests to the endpoints' paths; undefined for a path that none of them has. */
export type RestAdapter = (request: RestRequest) => Promise<RestAnswer> | undefined;

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
    methods: { allow, ...(methods.includes('PATCH') && { 'accept-patch': mediaTypesFor('PATCH').join(', ') }) },
  };
}

async function answer(
  resource: Resource,
  segments: Readonly<Record<string, string>>,
  request: RestRequest,
  context: Context,
  admit: Admit,
): Promise<RestAnswer> {
  const { method, path } = request;
  const accept = request.headers.get('accept');
  if (method === 'OPTIONS') {
    const headers = Object.entries(resource.methods).flat();
    return { face: 'rest', operation: 'options', reply: { status: 204, headers, body: null } };
  }
  const endpoint = resource.endpoints.get(method === 'HEAD' ? 'GET' : method);
  if (endpoint === undefined) {
    const { methods } = resource;
    const message = `${path} has no method ${method}; it has ${methods.allow}.`;
    const error = new ServiceError('METHOD_NOT_ALLOWED', message, { headers: methods });
    return { face: 'rest', operation: 'methodNotAllowed', reply: errorReply(error, accept), error };
  }
  const { operationId: operation } = endpoint.operation;
  const call = new EndpointCall(endpoint, segments, request, admit);
  const always = endpoint.lifecycle.headersFor(call);
  try {
    if (!acceptsJson(accept)) {
      throw new ServiceError('NOT_ACCEPTABLE', 'Answers are application/json; the Accept field takes none of it.');
    }
    return { face: 'rest', operation, reply: toReply(await endpoint.run(call, context), always) };
  } catch (thrown) {
    const error = toServiceError(thrown);
    return { face: 'rest', operation, reply: errorReply(error, accept, always), error };
  }
}

function toReply({ status, body, headers = [] }: Answer, always: HeaderFields): HttpReply {
  if (body === undefined) return { status, headers: [...always, ...headers], body: null };
  const all = [...always, ...headers, 'content-type', 'application/json'];
  return { status, headers: all, body: stringifyJson(body) };
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
