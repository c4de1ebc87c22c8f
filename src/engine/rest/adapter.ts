import { addRoute, createRouter } from 'rou3';
import { compileRouter } from 'rou3/compiler';
import type { Authentication } from '../auth/authentication.ts';
import { ServiceError, toServiceError } from '../errors.ts';
import type { originGuard } from '../http/cors.ts';
import { isKnown, tagOf } from '../http/etag.ts';
import type { RequestHeaders } from '../http/headers.ts';
import type { IncomingRequest } from '../http/incoming.ts';
import { acceptsEventStream, acceptsJson, firstValues } from '../http/negotiation.ts';
import {
  type Answered,
  fieldOf,
  type HeaderFields,
  type HttpReply,
  labeled,
  type Outcome,
  without,
} from '../http/reply.ts';
import { fingerprintOf } from '../idempotency/key.ts';
import { stringifyJson } from '../json.ts';
import type { CpuThrottle } from '../limits/cpu-throttle.ts';
import type { ExecuteOperation } from '../operation/execute.ts';
import type { Variables } from '../operation/prepared.ts';
import { acceptedBodies } from './body.ts';
import { EndpointCall } from './call.ts';
import type { Endpoint, TaggedReply } from './compile.ts';
import { errorReply, errorReplyInTurn } from './error-reply.ts';
import { isMatch } from './preconditions.ts';
import { fillTemplate } from './route.ts';

interface PathEndpoints {
  readonly endpoints: ReadonlyMap<string, Endpoint>;
  readonly methods: { readonly allow: string; readonly 'accept-patch'?: string };
}

/** Opens a stream of server-sent events. `recheck` rejects when it has to end. */
export type StreamOpener = (
  variables: Variables,
  request: IncomingRequest,
  recheck: () => Promise<void>,
) => Promise<HttpReply>;

interface RestAdapterOptions {
  readonly endpoints: readonly Endpoint[];
  readonly authentication: Authentication;
  readonly executeOperation: ExecuteOperation;
  /** Throws FORBIDDEN for a request of a page that may not send it. */
  readonly guardOrigin: ReturnType<typeof originGuard>;
  readonly openStream: StreamOpener;
  /** For unknown methods, which cost nothing. */
  readonly throttle: Pick<CpuThrottle, 'wait'>;
}

/** Creates the REST adapter, which maps requests to prepared operations, and results to responses. */
export function createRestAdapter(options: RestAdapterOptions) {
  const { endpoints, authentication, executeOperation, guardOrigin, openStream, throttle } = options;
  const router = createRouter<PathEndpoints>();
  for (const path of new Set(endpoints.map(({ route }) => route.path))) {
    const pattern = fillTemplate(path, (name) => `:${name}`);
    addRoute(router, '', pattern, resourceOf(endpoints.filter(({ route }) => route.path === path)));
  }
  const findRoute = compileRouter(router);

  return (request: IncomingRequest): Promise<Answered> | undefined => {
    // The router treats `/books/` as `/books`: an empty id would return the whole list.
    const match = request.path.endsWith('/') ? undefined : findRoute('', request.path);
    if (match === undefined) return undefined;
    return answer(match.data, match.params ?? {}, request);
  };

  async function answer(
    { endpoints, methods }: PathEndpoints,
    segments: Readonly<Record<string, string>>,
    request: IncomingRequest,
  ): Promise<Answered> {
    const { method, path } = request;
    const accept = request.headers.get('accept');
    if (method === 'OPTIONS') {
      const reply = { status: 204, headers: Object.entries(methods).flat(), body: null };
      return labeled('rest', 'options', { reply });
    }
    const endpoint = endpoints.get(method === 'HEAD' ? 'GET' : method);
    if (endpoint === undefined) {
      const message = `${path} has no method ${method}; it accepts ${methods.allow}.`;
      const error = new ServiceError('METHOD_NOT_ALLOWED', message, { headers: methods });
      return labeled('rest', 'methodNotAllowed', await errorReplyInTurn(error, request, throttle));
    }
    const { operationId: operation } = endpoint;
    const call = new EndpointCall(request, endpoint.readPath, segments);
    const always = endpoint.lifecycle.headersFor(call);
    try {
      return labeled('rest', operation, await run(endpoint, call, accept, always));
    } catch (thrown) {
      return labeled('rest', operation, errorReply(toServiceError(thrown), accept, always));
    }
  }

  /** @param always the header fields of every response of the endpoint */
  async function run(
    endpoint: Endpoint,
    call: EndpointCall,
    accept: string | null,
    always: HeaderFields,
  ): Promise<Outcome> {
    const { request } = call;
    const { headers } = request;
    const entering = authentication.authenticate(request);
    const caller = entering instanceof Promise ? await entering : entering;
    const { prepared, preparedWithTotal, lifecycle, operationId, route } = endpoint;
    const mayRead = authentication.mayRead(caller);
    const isCounted = preparedWithTotal !== undefined && prefersCount(headers);
    const wantsStream = route.stream !== undefined && acceptsEventStream(accept);
    return executeOperation(isCounted ? preparedWithTotal : prepared, {
      request,
      caller,
      labels: lifecycle.labels(call),
      variables: () => {
        if (endpoint.isFormLike) guardOrigin(request);
        if (wantsStream || acceptsJson(accept)) return endpoint.read(call);
        const offered = route.stream === undefined ? 'application/json' : 'application/json or text/event-stream';
        throw new ServiceError('NOT_ACCEPTABLE', `Responses are ${offered}, which the Accept field excludes.`);
      },
      fingerprint: (variables) => fingerprintOf(operationId, variables),
      reject: ([{ error }]) => errorReply(error, accept, always),
      open: wantsStream ? open : undefined,
      reply: (result, variables) => {
        try {
          const reply = toReply(endpoint.toAnswer(result, variables, call), always, route.reply.kind === 'list');
          return { reply: route.method === 'GET' ? underPreconditions(reply, headers) : reply, error: undefined };
        } catch (thrown) {
          return errorReply(toServiceError(thrown, mayRead), accept, always);
        }
      },
    });

    async function open(variables: Variables, recheck: () => Promise<void>): Promise<Outcome> {
      const reply = await openStream(variables, request, recheck);
      return { reply: { ...reply, headers: [...always, ...reply.headers] }, error: undefined };
    }
  }
}

function resourceOf(endpoints: readonly Endpoint[]): PathEndpoints {
  const methods = endpoints.map(({ route }) => route.method);
  const allow = [...methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])), 'OPTIONS'].join(', ');
  return {
    endpoints: new Map(endpoints.map((endpoint) => [endpoint.route.method, endpoint])),
    methods: { allow, ...(methods.includes('PATCH') && acceptedBodies('PATCH').headers) },
  };
}

/** Whether the client prefers a list with its total; other preferences and later counts are ignored (RFC 7240). */
function prefersCount(headers: RequestHeaders): boolean {
  const field = headers.get('prefer');
  if (field === null) return false;
  const first = firstValues(field).find((preference) => COUNT.test(preference));
  return first !== undefined && EXACT_COUNT.test(first);
}

const COUNT = /^\s*count\s*(?:[=;]|$)/i;
const EXACT_COUNT = /^\s*count\s*=\s*(?:exact|"exact")\s*(?:;|$)/i;

/** The entity tag of a list is made from its content and the URL of its next page. */
function toReply(
  { status, body, headers = [], etag: ofRow }: TaggedReply,
  always: HeaderFields,
  isList: boolean,
): HttpReply {
  if (body === undefined) return { status, headers: [...always, ...headers], body: null };
  const text = stringifyJson(body);
  const tag = isList ? tagOf(headers.join() + text) : ofRow;
  const etag = tag === undefined ? [] : ['etag', tag];
  return { status, headers: [...always, ...headers, ...etag, 'content-type', 'application/json'], body: text };
}

/** Evaluates the preconditions of a GET, in their order (RFC 9110, section 13.2.2); throws PRECONDITION_FAILED. */
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
  return { status: 304, headers: without(reply.headers, 'content-type'), body: null };
}
