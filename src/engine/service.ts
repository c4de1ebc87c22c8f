import type { RequestListener } from 'node:http';
import type { Logger } from 'pino';
import { type Application, contextOf, endpointsOf, LIFECYCLE_PAGE } from './application.ts';
import type { Access } from './auth/access.ts';
import { createAuthentication } from './auth/authentication.ts';
import { READ } from './auth/scope.ts';
import type { Database } from './db/client.ts';
import { tableSizes } from './db/table-sizes.ts';
import { ServiceError, toServiceError } from './errors.ts';
import { createGraphQLServer } from './graphql/server.ts';
import { createHealth, type HealthAnswer } from './health.ts';
import { createCors } from './http/cors.ts';
import { fetchHandler } from './http/fetch.ts';
import { type IncomingRequest, type RawRequest, readRequest } from './http/incoming.ts';
import { nearestPath } from './http/nearest-path.ts';
import { acceptsProblem, prefersHtml } from './http/negotiation.ts';
import { nodeListener } from './http/node.ts';
import { contentLength, fieldOf, type HttpReply, type SentReply, without } from './http/reply.ts';
import { createIdempotency } from './idempotency/run.ts';
import { annotatedIn } from './lifecycle/annotated.ts';
import { levelOf } from './lifecycle/annotation.ts';
import { createLifecycleEnforcement } from './lifecycle/enforce.ts';
import { createGuard, type LifecycleRules } from './lifecycle/guard.ts';
import { createAccounts, type Origin } from './limits/account.ts';
import { createConcurrencyLimiter } from './limits/concurrency.ts';
import { Meter } from './limits/meter.ts';
import type { Quota } from './limits/rate.ts';
import { createRateLimiter, steadyTime } from './limits/rate.ts';
import { listCosts } from './limits/units.ts';
import type { Protocol, RequestMetrics } from './metrics.ts';
import { countedTables } from './operation/counts.ts';
import { createExecutor } from './operation/execute.ts';
import { errorPage } from './pages/error.ts';
import { createPlayground } from './pages/playground.ts';
import { createPageSession } from './pages/session.ts';
import { createSite, html, PAGE_SESSION } from './pages/site.ts';
import { createRestAdapter } from './rest/adapter.ts';
import { restView } from './rest/lifecycle.ts';
import { errorReply } from './rest/problem.ts';
import { callWithin, type TracedRequest, type Tracing } from './tracing/span.ts';
import { lifecycleStore } from './usage/store.ts';

/** What an operator can set of how the service answers. */
interface ServiceSettings {
  /** What every path begins with, such as `/v1`; may be empty. */
  readonly BASE_PATH: string;
  /** The origin by which clients know the service; undefined for whatever host a request names. */
  readonly PUBLIC_URL?: string | undefined;
  /** How long a request may take, in milliseconds. */
  readonly REQUEST_TIMEOUT: number;
  /** How many requests run at once. */
  readonly MAX_REQUESTS: number;
  readonly RATE_LIMIT: Quota | 'off';
  /** How many proxies stand before the service. */
  readonly PROXIES: number;
  readonly AUTH: 'open' | 'required' | 'all';
  /** The origins whose pages may read answers; `*` for all. */
  readonly CORS_ORIGINS: readonly string[];
  readonly PLAYGROUND: 'on' | 'off';
  readonly INTROSPECTION: 'on' | 'off';
  readonly NODE_ENV?: string | undefined;
}

/** What the service is made of. */
interface AppOptions {
  readonly application: Application;
  readonly database: Database;
  readonly settings: ServiceSettings;
  readonly access: Access;
  readonly rules: LifecycleRules;
  readonly metrics: RequestMetrics;
  readonly logger: Logger;
  /** Traces requests; undefined where nobody asks for that. */
  readonly tracing?: Tracing | undefined;
  /**
   * What rates go by, in milliseconds since the epoch; it must not jump.
   *
   * @default steadyTime
   */
  readonly clock?: () => number;
}

/** The service, ready to answer. */
export interface App {
  /**
   * Notes since when uses of what is marked are counted, takes the time by which rates go, and begins to forget old idempotency
   * keys; once, before the first request.
   */
  begin(): Promise<void>;
  /** Answers a request, without a socket. */
  fetch(request: Request): Promise<Response>;
  /** The same for Node's HTTP server. */
  readonly listener: RequestListener;
  /**
   * From now on each answer says that its connection is closed; and `/readyz` that no more requests should come, unless
   * another process has taken the place of this one. What is not done shortly before the grace ends, in milliseconds, is
   * given up, so that it is answered.
   */
  beginDrain(options: { isReplaced: boolean; grace: number }): void;
  /** Stores what has been counted and not yet stored, and forgets no more keys; before the database is closed. */
  flush(): Promise<void>;
}

interface Answered {
  readonly protocol: Protocol;
  readonly operation: string;
  readonly reply: HttpReply;
  readonly error?: ServiceError | undefined;
}

/** How long answers may take to be written, in milliseconds. */
const LAST_ANSWERS = 500;
/** No browser takes an answer for something else than its type says. */
const NO_SNIFFING = ['x-content-type-options', 'nosniff'];
const ONLY_READ = 'GET, HEAD, OPTIONS';
/** What is no data of the service, and yet not for everyone where reads are closed. */
const TELLS_OF_CLIENTS: ReadonlySet<string> = new Set([LIFECYCLE_PAGE, '/metrics']);

/** The service: the only place where GraphQL, REST, pages and the database meet. All that can be compiled is compiled here. */
export function createApp(options: AppOptions): App {
  const { application, database, settings, access, rules, metrics, logger, tracing, clock = steadyTime } = options;
  const { schema, title } = application;
  const basePath = settings.BASE_PATH;
  const where = { basePath, publicUrl: settings.PUBLIC_URL };
  const annotated = annotatedIn(schema);
  const sizes = tableSizes(database, countedTables(schema));
  const costs = listCosts(sizes.pagesOf);
  const endpoints = endpointsOf(application, costs);
  const view = restView(endpoints);
  const lifecycle = lifecycleStore(database, {
    annotated,
    rest: view,
    clock: rules.clock,
    isRehearsal: rules.isRehearsal,
    onFailure: (error) =>
      logger.warn({ err: error }, 'lifecycle uses could not be stored yet; the next attempt includes them'),
  });
  const context = contextOf(application, database, lifecycle);
  const idempotency = createIdempotency(database, settings.REQUEST_TIMEOUT, (own) =>
    contextOf(application, own, lifecycle),
  );
  const enforceLifecycle = createLifecycleEnforcement(createGuard(rules, annotated), (use, client) => {
    metrics.use(use.coordinate, levelOf(use.annotations), client);
    lifecycle.count(use, client);
  });
  const limiter =
    settings.RATE_LIMIT === 'off'
      ? undefined
      : createRateLimiter(settings.RATE_LIMIT, database, clock, (error) =>
          logger.warn(
            { err: error },
            'used cost units could not be stored, or old ones deleted; the next attempt includes them',
          ),
        );
  const accountOf = createAccounts(settings.PROXIES);
  const concurrency = createConcurrencyLimiter(settings.MAX_REQUESTS, settings.REQUEST_TIMEOUT);
  const parts = {
    meterFor: (origin: Origin) => new Meter(accountOf(origin), limiter),
    spanFor: (request: TracedRequest) => tracing?.request(request),
  };
  const authentication = createAuthentication(access, concurrency);
  const executeOperation = createExecutor({ context, authentication, concurrency, enforceLifecycle, idempotency });
  const rest = createRestAdapter({ endpoints, authentication, executeOperation });
  const graphql = createGraphQLServer({
    schema,
    endpoint: `${basePath}/graphql`,
    authentication,
    executeOperation,
    costs,
    lifecyclePage: LIFECYCLE_PAGE,
    introspection: settings.INTROSPECTION === 'on',
    suggestions: settings.NODE_ENV !== 'production' && settings.INTROSPECTION === 'on',
  });
  const hasPlayground = settings.PLAYGROUND === 'on';
  const playground = hasPlayground ? createPlayground(application, basePath) : undefined;
  const health = createHealth(database, metrics);
  const cors = createCors(settings.CORS_ORIGINS);
  const session = createPageSession(application.name, `${basePath}${LIFECYCLE_PAGE}`, authentication);
  const pages = createSite({
    application,
    endpoints,
    annotated,
    view,
    basePath,
    rules,
    report: lifecycle.report,
    isOpenByKey: session.isOpenBy,
    hasPlayground,
    hasSchema: settings.INTROSPECTION === 'on',
  });
  const site = { ...pages, ...playground?.assets };

  const restPaths = new Map(endpoints.map(({ operation, route }) => [operation.operationId, route.path]));
  const paths = [
    ...endpoints.map(({ route }) => route.path),
    '/graphql',
    ...Object.keys({ ...health.checks, ...pages }),
  ];

  // Caches that would otherwise choose how long an answer is good, and for whom, ask each time (RFC 9111, section 5.2.2).
  const caching = ['cache-control', settings.AUTH === 'all' ? 'private, no-cache' : 'no-cache'];

  const logsRequests = logger.isLevelEnabled('debug');

  return {
    async begin() {
      await Promise.all([lifecycle.begin(), sizes.refresh(), limiter?.begin()]);
      idempotency.begin((error) => logger.warn({ err: error }, 'old idempotency keys could not be deleted yet'));
    },
    fetch: fetchHandler(respond),
    listener: nodeListener(respond),
    beginDrain({ isReplaced, grace }) {
      health.beginDrain({ isReplaced });
      concurrency.endWithin(grace - LAST_ANSWERS);
    },
    async flush() {
      await Promise.all([lifecycle.flush(), idempotency.end(), limiter?.flush()]);
    },
  };

  async function respond(raw: RawRequest): Promise<SentReply> {
    const started = performance.now();
    const request = readRequest(raw, where, parts);
    return callWithin(request, () => answer(raw, request, started));
  }

  async function answer(raw: RawRequest, request: IncomingRequest, started: number): Promise<SentReply> {
    try {
      return finish(request, await dispatch(request), started);
    } catch (thrown) {
      const error = raw.isCutOff() ? cutOff(thrown) : toServiceError(thrown);
      return finish(request, { protocol: 'none', operation: 'failed', reply: errorReply(error, null), error }, started);
    }
  }

  function finish(request: IncomingRequest, answered: Answered, started: number): SentReply {
    const { protocol, operation, error } = answered;
    const reply = error === undefined ? answered.reply : asFailed(request, answered, error);
    const { status, body } = reply;
    const origin = request.headers.get('origin');
    const headers = [...reply.headers, ...NO_SNIFFING, 'x-request-id', request.id, ...cors.headersFor(origin)];
    if (fieldOf(headers, 'cache-control') === undefined) headers.push(...caching);
    const length = contentLength(reply);
    if (length !== undefined) headers.push('content-length', String(length));
    const { account, isCharged } = request.meter;
    if (isCharged && limiter !== undefined) headers.push(...limiter.headersFor(account));
    // Otherwise the client would go on using the connection.
    if (health.isDraining()) headers.push('connection', 'close');
    if (request.span !== undefined) {
      headers.push('traceparent', request.span.traceparent);
      const failure = error !== undefined && error.status >= 500 ? error.code : undefined;
      request.span.end({ route: routeOf(protocol, operation), status, failure });
    }
    const seconds = (performance.now() - started) / 1000;
    // GraphQL answers most errors by 200.
    metrics.request(protocol, operation, error?.status ?? status, seconds);
    report(request, protocol, operation, status, seconds, error);
    return { status, headers, body, encoding: length === body?.length ? 'latin1' : 'utf8', caller: account };
  }

  function routeOf(protocol: Protocol, operation: string): string | undefined {
    if (protocol === 'graphql' || operation === 'playground') return `${basePath}/graphql`;
    const path = protocol === 'rest' ? restPaths.get(operation) : protocol === 'none' ? undefined : operation;
    return path === undefined ? undefined : basePath + path;
  }

  /** A failure as it is answered: a browser that opens an address is shown a page of it. */
  function asFailed(
    request: IncomingRequest,
    { protocol, operation, reply }: Answered,
    error: ServiceError,
  ): HttpReply {
    const { headers, id, fullPath } = request;
    const accept = headers.get('accept');
    if (protocol === 'graphql' || protocol === 'health' || !prefersHtml(accept) || acceptsProblem(accept)) return reply;
    const isClosed = error.code === 'UNAUTHENTICATED' || error.code === 'FORBIDDEN';
    const nearest = error.code === 'NOT_FOUND' && operation === 'none' ? nearestTo(fullPath) : undefined;
    const keyTo = isClosed && operation === LIFECYCLE_PAGE ? `${basePath}${PAGE_SESSION}` : undefined;
    const page = html(errorPage(error, { title, basePath, requestId: id, nearest, keyTo }));
    return { ...page, status: error.status, headers: [...without(reply.headers, 'content-type'), ...page.headers] };
  }

  function dispatch(request: IncomingRequest): Answered | Promise<Answered> {
    const { method, headers } = request;
    const accept = headers.get('accept');
    if (request.fault !== undefined) return failed(request.fault);
    const requestedMethod = method === 'OPTIONS' ? headers.get('access-control-request-method') : null;
    if (requestedMethod !== null) {
      const allowed = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS';
      const reply = { status: 204, headers: cors.preflightHeaders(allowed), body: null };
      return { protocol: 'none', operation: 'preflight', reply };
    }
    if (!isHere(request)) return failed(notHere(request.fullPath));
    const { path } = request;
    // The page and the operation are one resource: a browser gets the page of it.
    const isPage = path === LIFECYCLE_PAGE && (method === 'GET' || method === 'HEAD') && prefersHtml(accept);
    const answering = isPage ? undefined : rest(request);
    if (answering !== undefined) return path === LIFECYCLE_PAGE ? answering.then(varied) : answering;
    if (path === '/graphql') return answerGraphQL(request);
    if (path === PAGE_SESSION && method === 'POST') return openPage(request);
    const check = health.checks[path];
    const read = check ?? site[path];
    if (read === undefined) return failed(notHere(request.fullPath));
    const protocol = check === undefined ? 'page' : 'health';
    if (method === 'OPTIONS') {
      return { protocol, operation: path, reply: { status: 204, headers: ['allow', ONLY_READ], body: null } };
    }
    if (method !== 'GET' && method !== 'HEAD') {
      const message = `${path} has no method ${method}; it accepts ${ONLY_READ}.`;
      return failed(new ServiceError('METHOD_NOT_ALLOWED', message, { headers: { allow: ONLY_READ } }));
    }
    return answerPage(protocol, path, request, read);

    function failed(error: ServiceError): Answered {
      return { protocol: 'none', operation: 'none', reply: errorReply(error, accept), error };
    }
  }

  function notHere(path: string): ServiceError {
    const nearest = nearestTo(path);
    const hint = nearest === undefined ? `see ${basePath}/openapi.json.` : `did you mean ${nearest}?`;
    return new ServiceError('NOT_FOUND', `${path} is not a path of this service; ${hint}`);
  }

  function nearestTo(path: string): string | undefined {
    const nearest = nearestPath(path.startsWith(basePath) ? path.slice(basePath.length) : path, paths);
    return nearest === undefined ? undefined : basePath + nearest;
  }

  async function openPage(request: IncomingRequest): Promise<Answered> {
    const answered = { protocol: 'page', operation: LIFECYCLE_PAGE } as const;
    try {
      return { ...answered, reply: await session.answer(request) };
    } catch (thrown) {
      const error = toServiceError(thrown);
      return { ...answered, reply: errorReply(error, request.headers.get('accept')), error };
    }
  }

  async function answerPage(
    protocol: Protocol,
    operation: string,
    request: IncomingRequest,
    read: (request: IncomingRequest) => HealthAnswer | Promise<HealthAnswer>,
  ): Promise<Answered> {
    try {
      if (TELLS_OF_CLIENTS.has(operation)) {
        const headers = operation === LIFECYCLE_PAGE ? session.headersOf(request) : request.headers;
        authentication.authorize(await authentication.authenticate(request, headers), [READ]);
      }
      // Checks are answered also where there is too much to do.
      const { error, ...reply } = await (protocol === 'page'
        ? concurrency.run(() => callWithin(request, () => read(request)), request.meter.load('read'))
        : read(request));
      return { protocol, operation, reply, error };
    } catch (thrown) {
      const error = toServiceError(thrown);
      return { protocol, operation, reply: errorReply(error, request.headers.get('accept')), error };
    }
  }

  async function answerGraphQL(request: IncomingRequest): Promise<Answered> {
    const { method } = request;
    const protocol = 'graphql';
    if (method === 'OPTIONS') {
      const reply = { status: 204, headers: ['allow', 'GET, HEAD, POST, OPTIONS'], body: null };
      return { protocol, operation: 'options', reply };
    }
    const isRead = method === 'GET' || method === 'HEAD';
    if (playground !== undefined && isRead && prefersHtml(request.headers.get('accept'))) {
      return { protocol: 'page', operation: 'playground', reply: await playground.page(request) };
    }
    return { protocol, ...(await graphql(method === 'HEAD' ? { ...request, method: 'GET' } : request)) };
  }

  function report(
    { id, method, path, span }: IncomingRequest,
    protocol: Protocol,
    operation: string,
    status: number,
    seconds: number,
    error: ServiceError | undefined,
  ): void {
    if (error === undefined && !logsRequests) return;
    const line = { requestId: id, ...span?.fields, method, path, protocol: protocol, operation, status };
    if (error?.code === 'BROWNOUT') logger.warn({ ...line, code: error.code }, error.message);
    else if (error !== undefined && error.status >= 500) {
      logger.error({ ...line, code: error.code, err: error.cause ?? error }, error.message);
    }
    if (logsRequests) logger.debug({ ...line, milliseconds: Math.round(seconds * 1e6) / 1000 }, 'answered');
  }
}

/** A failure says so itself. */
function varied(answered: Answered): Answered {
  const { reply, error } = answered;
  return error === undefined
    ? { ...answered, reply: { ...reply, headers: [...reply.headers, 'vary', 'Accept'] } }
    : answered;
}

function isHere(request: IncomingRequest): request is IncomingRequest & { readonly path: string } {
  return request.path !== undefined;
}

/** The client has gone: nobody sees the answer, and nothing has failed here. */
function cutOff(cause: unknown): ServiceError {
  return new ServiceError('INVALID_ARGUMENT', 'The request was aborted.', { cause });
}
