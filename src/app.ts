import type { RequestListener } from 'node:http';
import type { Logger } from 'pino';
import { createContext } from './context.ts';
import type { Database } from './db/client.ts';
import type { Settings } from './env.ts';
import { ServiceError, toServiceError } from './errors.ts';
import { createGraphQLServer } from './graphql/server.ts';
import { createHealth, type HealthAnswer } from './health.ts';
import { createCors } from './http/cors.ts';
import { fetchHandler } from './http/fetch.ts';
import { type IncomingRequest, type RawRequest, readRequest } from './http/incoming.ts';
import { prefersHtml } from './http/negotiation.ts';
import { nodeListener } from './http/node.ts';
import { contentLength, type HttpReply, type SentReply } from './http/reply.ts';
import { createAdmit } from './lifecycle/admit.ts';
import { createGuard, type LifecycleRules } from './lifecycle/guard.ts';
import { levelOf } from './lifecycle/mark.ts';
import { markedIn } from './lifecycle/marked.ts';
import type { Face, Metrics } from './metrics.ts';
import { createPlayground } from './pages/playground.ts';
import { createRestAdapter } from './rest/adapter.ts';
import { compileRoutes } from './rest/compile.ts';
import { restView } from './rest/lifecycle.ts';
import { errorReply } from './rest/problem.ts';
import { routes } from './routes.ts';
import { schema } from './schema.ts';
import { createSite, LIFECYCLE_PAGE } from './site.ts';

/** What the service is made of. */
export interface AppOptions {
  readonly database: Database;
  readonly settings: Pick<Settings, 'BASE_PATH' | 'PUBLIC_URL' | 'CORS_ORIGINS'>;
  readonly rules: LifecycleRules;
  readonly metrics: Metrics;
  readonly logger: Logger;
}

/** The service, ready to answer. */
export interface App {
  /** Notes since when uses of what is marked are counted; once, before the first request. */
  begin(): Promise<void>;
  /** Answers a request, without a socket. */
  fetch(request: Request): Promise<Response>;
  /** The same for Node's HTTP server. */
  readonly listener: RequestListener;
  /**
   * From now on each answer says that its connection is closed; and `/readyz` that no more requests should come, unless
   * another process has taken the place of this one.
   */
  beginDrain(options: { isReplaced: boolean }): void;
  /** Stores what has been counted and not yet stored; before the database is closed. */
  flush(): Promise<void>;
}

interface Answered {
  readonly face: Face;
  readonly operation: string;
  readonly reply: HttpReply;
  readonly error?: ServiceError | undefined;
}

const ONLY_READ = 'GET, HEAD, OPTIONS';

/** The service: the only place where GraphQL, REST, pages and the database meet. All that can be compiled is compiled here. */
export function createApp({ database, settings, rules, metrics, logger }: AppOptions): App {
  const basePath = settings.BASE_PATH;
  const endpoints = compileRoutes(schema, routes, LIFECYCLE_PAGE);
  const marked = markedIn(schema);
  const view = restView(endpoints);
  const context = createContext(database, {
    marked,
    rest: view,
    clock: rules.clock,
    isRehearsal: rules.isRehearsal,
    onFailure: (error) => logger.warn({ err: error }, 'uses could not be stored; they will be with the next'),
  });
  const admit = createAdmit(createGuard(rules, marked), (use, client) => {
    metrics.use(use.coordinate, levelOf(use.marks), client);
    context.lifecycle.count(use, client);
  });
  const rest = createRestAdapter(endpoints, context, admit);
  const graphql = createGraphQLServer({
    schema,
    context,
    endpoint: `${basePath}/graphql`,
    admit,
    lifecyclePage: LIFECYCLE_PAGE,
  });
  const playground = createPlayground(`${basePath}/graphql`);
  const health = createHealth(database, metrics);
  const cors = createCors(settings.CORS_ORIGINS);
  const site = createSite({ endpoints, marked, view, basePath, clock: rules.clock, report: context.lifecycle.report });

  const logsRequests = logger.isLevelEnabled('debug');

  return {
    begin: context.lifecycle.begin,
    fetch: fetchHandler(respond),
    listener: nodeListener(respond),
    beginDrain: health.beginDrain,
    flush: context.lifecycle.flush,
  };

  async function respond(raw: RawRequest): Promise<SentReply> {
    const began = performance.now();
    const request = readRequest(raw, settings);
    try {
      return finish(request, await dispatch(request), began);
    } catch (thrown) {
      const error = raw.isCutOff() ? cutOff(thrown) : toServiceError(thrown);
      return finish(request, { face: 'none', operation: 'failed', reply: errorReply(error, null), error }, began);
    }
  }

  function finish(request: IncomingRequest, { face, operation, reply, error }: Answered, began: number): SentReply {
    const { status, body } = reply;
    const origin = request.headers.get('origin');
    const headers = [...reply.headers, 'x-request-id', request.id, ...cors.headersFor(origin)];
    const length = contentLength(reply);
    if (length !== undefined) headers.push('content-length', String(length));
    // Otherwise the client would go on using the connection.
    if (health.isDraining()) headers.push('connection', 'close');
    const seconds = (performance.now() - began) / 1000;
    metrics.request(face, operation, status, seconds);
    report(request, face, operation, status, seconds, error);
    return { status, headers, body, encoding: length === body?.length ? 'latin1' : 'utf8' };
  }

  function dispatch(request: IncomingRequest): Answered | Promise<Answered> {
    const { method, headers } = request;
    const accept = headers.get('accept');
    if (request.fault !== undefined) return failed(request.fault);
    const requestedMethod = method === 'OPTIONS' ? headers.get('access-control-request-method') : null;
    if (requestedMethod !== null) {
      const allowed = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS';
      const reply = { status: 204, headers: cors.preflightHeaders(allowed), body: null };
      return { face: 'none', operation: 'preflight', reply };
    }
    if (!isHere(request)) return failed(notHere('The address'));
    const { path } = request;
    // The page and the operation are one resource: a browser gets the page of it.
    const isPage = path === LIFECYCLE_PAGE && (method === 'GET' || method === 'HEAD') && prefersHtml(accept);
    const answering = isPage ? undefined : rest(request);
    if (answering !== undefined) return path === LIFECYCLE_PAGE ? answering.then(varied) : answering;
    if (path === '/graphql') return answerGraphQL(request);
    const check = health.checks[path];
    const read = check ?? site[path];
    if (read === undefined) return failed(notHere(path));
    const face = check === undefined ? 'page' : 'health';
    if (method === 'OPTIONS') {
      return { face, operation: path, reply: { status: 204, headers: ['allow', ONLY_READ], body: null } };
    }
    if (method !== 'GET' && method !== 'HEAD') {
      const message = `${path} has no method ${method}; it has ${ONLY_READ}.`;
      return failed(new ServiceError('METHOD_NOT_ALLOWED', message, { headers: { allow: ONLY_READ } }));
    }
    return answerPage(face, path, read(request));

    function failed(error: ServiceError): Answered {
      return { face: 'none', operation: 'none', reply: errorReply(error, accept), error };
    }
  }

  function notHere(what: string): ServiceError {
    return new ServiceError('NOT_FOUND', `${what} is no path of this service; see ${basePath}/openapi.json.`);
  }

  async function answerPage(
    face: Face,
    operation: string,
    answering: HealthAnswer | Promise<HealthAnswer>,
  ): Promise<Answered> {
    const { error, ...reply } = await answering;
    return { face, operation, reply, error };
  }

  async function answerGraphQL(request: IncomingRequest): Promise<Answered> {
    const { method } = request;
    const face = 'graphql';
    if (method === 'OPTIONS') {
      const reply = { status: 204, headers: ['allow', 'GET, HEAD, POST, OPTIONS'], body: null };
      return { face, operation: 'options', reply };
    }
    const isRead = method === 'GET' || method === 'HEAD';
    if (isRead && prefersHtml(request.headers.get('accept'))) {
      return { face: 'page', operation: 'playground', reply: await playground(request) };
    }
    const { reply, operation, error } = await graphql(method === 'HEAD' ? { ...request, method: 'GET' } : request);
    return { face, operation, reply, error };
  }

  function report(
    { id, method, path }: IncomingRequest,
    face: Face,
    operation: string,
    status: number,
    seconds: number,
    error: ServiceError | undefined,
  ): void {
    if (error === undefined && !logsRequests) return;
    const line = { requestId: id, method, path, face, operation, status };
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
  return new ServiceError('INVALID_ARGUMENT', 'The request was cut off.', { cause });
}
