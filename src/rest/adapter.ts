import { addRoute, createRouter, findRoute } from 'rou3';
import { ServiceError, toServiceError } from '../errors.ts';
import type { Context } from '../graphql/builder.ts';
import { readJson, type WithBody } from '../http/body.ts';
import { acceptsJson } from '../http/negotiation.ts';
import { type HttpReply, mergeHeaders } from '../http/reply.ts';
import { stringifyJson } from '../json.ts';
import { type Admit, wantsStrict } from '../lifecycle/admit.ts';
import { assertMediaType, mediaTypesFor } from './body.ts';
import type { Endpoint } from './compile.ts';
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

  return (request) => {
    // The router would take `/pets/` for `/pets`, and so an empty id for the whole list.
    const match = request.path.endsWith('/') ? undefined : findRoute(router, '', request.path);
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
  const headers = endpoint.lifecycle.headersFor({ segments, address: request.address });
  try {
    if (!acceptsJson(accept)) {
      throw new ServiceError('NOT_ACCEPTABLE', 'Answers are application/json; the Accept field takes none of it.');
    }
    const given = await endpoint.run(endpointRequest(request, segments, endpoint, admit), context);
    return { ...toReply(given, headers), operation: operationId };
  } catch (thrown) {
    const error = toServiceError(thrown);
    return { ...errorReply(error, accept, headers), operation: operationId, error };
  }
}

function endpointRequest(
  request: RestRequest,
  segments: Readonly<Record<string, string>>,
  { route: { method }, lifecycle }: Endpoint,
  admit: Admit,
): Parameters<Endpoint['run']>[0] {
  const { headers, path, search, address } = request;
  const caller = { headers, isStrict: wantsStrict(headers) };
  return {
    segments,
    search,
    address,
    nextPage: (cursor) => {
      const kept = search.split('&').filter((pair) => pair !== '' && splitPair(pair)[0] !== 'after');
      return address(`${path}?${[...kept, `after=${cursor}`].join('&')}`);
    },
    admit: (uses) => admit(uses, caller, lifecycle.naming({ segments, address })),
    readBody: async () => {
      const contentType = headers.get('content-type');
      if (contentType !== null) assertMediaType(method, contentType);
      const body = await readJson(request);
      if (contentType === null) assertMediaType(method, null);
      return body;
    },
  };
}

function toReply({ status, body, headers = {} }: Answer, always: Readonly<Record<string, string>>): HttpReply {
  const merged = mergeHeaders(always, headers);
  if (body === undefined) return { status, headers: merged, body: null };
  return { status, headers: { ...merged, 'content-type': 'application/json' }, body: stringifyJson(body) };
}
