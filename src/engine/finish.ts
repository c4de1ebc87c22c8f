import type { Logger } from 'pino';
import type { ServiceError } from './errors.ts';
import type { IncomingRequest } from './http/incoming.ts';
import { acceptsProblem, prefersHtml } from './http/negotiation.ts';
import {
  type Answered,
  contentLength,
  fieldOf,
  type HeaderFields,
  type HttpReply,
  type SentReply,
  without,
} from './http/reply.ts';
import { LIFECYCLE_PAGE } from './lifecycle/headers.ts';
import type { RateLimiter } from './limits/rate.ts';
import type { Protocol, RequestMetrics } from './metrics.ts';
import { errorPage } from './pages/error.ts';
import { html } from './pages/site.ts';

interface FinishOptions {
  readonly title: string;
  readonly basePath: string;
  /** The paths of the REST operations by their ids, without the base path. */
  readonly restPaths: ReadonlyMap<string, string>;
  readonly corsHeaders: (origin: string | null) => HeaderFields;
  /** Whether responses depend on the caller, so that shared caches must not keep them. */
  readonly isPrivate: boolean;
  readonly limiter: Pick<RateLimiter, 'headersFor'> | undefined;
  readonly metrics: Pick<RequestMetrics, 'request'>;
  readonly logger: Logger;
  readonly isDraining: () => boolean;
}

/** With this, no browser guesses another type than that of the response. */
const NO_SNIFFING = ['x-content-type-options', 'nosniff'];

/** Makes the function that adds the header fields of all responses to each answer, and counts, traces and logs it. */
export function createFinish(options: FinishOptions) {
  const { title, basePath, restPaths, corsHeaders, limiter, metrics, logger, isDraining } = options;
  // Otherwise caches would choose themselves how long a response is fresh, and for whom (RFC 9111, section 5.2.2).
  const caching = ['cache-control', options.isPrivate ? 'private, no-cache' : 'no-cache'];
  const logsRequests = logger.isLevelEnabled('debug');

  /** @param started when the request came, by `performance.now()` */
  return function finish(request: IncomingRequest, answered: Answered, started: number): SentReply {
    const { protocol, operation, error } = answered;
    const reply = error === undefined ? answered.reply : asPage(request, answered, error);
    const { status, body } = reply;
    const length = contentLength(reply);
    const headers = headersOf(request, protocol, reply, length);
    const failure = error !== undefined && error.status >= 500 ? error.code : undefined;
    request.span?.end({ route: routeOf(protocol, operation), status, failure });
    const seconds = (performance.now() - started) / 1000;
    // GraphQL returns most errors with 200.
    metrics.request(protocol, operation, error?.status ?? status, seconds);
    log(request, answered, status, seconds);
    const isAscii = typeof body === 'string' && body.length === length;
    return { status, headers, body, encoding: isAscii ? 'latin1' : 'utf8', caller: request.meter.account };
  };

  function headersOf(request: IncomingRequest, protocol: Protocol, reply: HttpReply, length: number | undefined) {
    const { id, span, meter } = request;
    const origin = request.headers.get('origin');
    const headers = [...reply.headers, ...NO_SNIFFING, 'x-request-id', id, ...corsHeaders(origin)];
    const lifetime = fieldOf(headers, 'cache-control');
    if (lifetime === undefined) headers.push(...caching);
    // Some shared caches keep what has a lifetime, even if a credential was needed; a browser may have several callers.
    else if (options.isPrivate && protocol === 'rest' && lifetime !== 'no-store')
      headers.push('cache-control', 'private', 'vary', 'Authorization');
    if (length !== undefined) headers.push('content-length', String(length));
    if (meter.isCharged && limiter !== undefined) headers.push(...limiter.headersFor(meter.account));
    // Otherwise the client would go on using the connection.
    if (isDraining()) headers.push('connection', 'close');
    if (span !== undefined) headers.push('traceparent', span.traceparent);
    return headers;
  }

  function routeOf(protocol: Protocol, operation: string): string | undefined {
    if (protocol === 'graphql' || operation === 'playground') return `${basePath}/graphql`;
    const path = protocol === 'rest' ? restPaths.get(operation) : protocol === 'none' ? undefined : operation;
    return path === undefined ? undefined : basePath + path;
  }

  /** The error as a page, for a browser that opens an address. */
  function asPage({ headers, id }: IncomingRequest, answered: Answered, error: ServiceError): HttpReply {
    const { protocol, operation, reply, nearest } = answered;
    const accept = headers.get('accept');
    if (protocol === 'graphql' || protocol === 'health' || !prefersHtml(accept) || acceptsProblem(accept)) return reply;
    const isClosed = error.code === 'UNAUTHENTICATED' || error.code === 'FORBIDDEN';
    const takesKey = isClosed && operation === LIFECYCLE_PAGE;
    const page = html(errorPage(error, { title, basePath, requestId: id, nearest, isClosed, takesKey }));
    return { ...page, status: error.status, headers: [...without(reply.headers, 'content-type'), ...page.headers] };
  }

  function log(request: IncomingRequest, answered: Answered, status: number, seconds: number): void {
    const { protocol, operation, error } = answered;
    if (error === undefined && !logsRequests) return;
    const { id, method, path, span } = request;
    const line = { requestId: id, ...span?.fields, method, path: path || undefined, protocol, operation, status };
    if (error !== undefined && error.status >= 500) {
      // Without a cause it is no failure: load that is shed, or a brownout.
      const level = error.cause === undefined ? 'warn' : 'error';
      logger[level]({ ...line, code: error.code, err: error.cause }, error.message);
    }
    if (logsRequests) logger.debug({ ...line, milliseconds: Math.round(seconds * 1e6) / 1000 }, 'answered');
  }
}
