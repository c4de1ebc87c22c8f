import type { Authentication } from './auth/authentication.ts';
import { READ } from './auth/scope.ts';
import { ServiceError, toServiceError } from './errors.ts';
import type { createGraphQLServer } from './graphql/server.ts';
import { preflightHeaders } from './http/cors.ts';
import type { IncomingRequest } from './http/incoming.ts';
import { nearestPath } from './http/nearest-path.ts';
import { prefersHtml } from './http/negotiation.ts';
import { type Answered, type HeaderFields, type HttpReply, labeled } from './http/reply.ts';
import { LIFECYCLE_PAGE } from './lifecycle/headers.ts';
import type { ConcurrencyLimiter } from './limits/concurrency.ts';
import type { CpuThrottle } from './limits/cpu-throttle.ts';
import type { Protocol } from './metrics.ts';
import type { createPlayground } from './pages/playground.ts';
import type { PageSession } from './pages/session.ts';
import type { PageMaker } from './pages/site.ts';
import type { createRestAdapter } from './rest/adapter.ts';
import { errorReply, errorReplyInTurn } from './rest/error-reply.ts';
import { fillTemplate } from './rest/route.ts';
import { callWithin } from './tracing/span.ts';

interface DispatchOptions {
  readonly basePath: string;
  readonly authentication: Pick<Authentication, 'authenticate' | 'authorize'>;
  readonly concurrency: Pick<ConcurrencyLimiter, 'run'>;
  readonly rest: ReturnType<typeof createRestAdapter>;
  readonly graphql: ReturnType<typeof createGraphQLServer>;
  readonly playground: ReturnType<typeof createPlayground> | undefined;
  /** By their paths. */
  readonly checks: Readonly<Record<string, PageMaker>>;
  readonly pages: Readonly<Record<string, PageMaker>>;
  readonly session: Pick<PageSession, 'answer' | 'headersOf'>;
  /** The cost of pages that name clients, in further units, by path. They are closed where reads need a credential. */
  readonly aboutClients: Readonly<Record<string, () => number>>;
  /** The paths of the REST operations, without the base path. */
  readonly restPaths: readonly string[];
  /** For pages, and what is rejected at once: most of them cost nothing, but take as long as a read. */
  readonly throttle: Pick<CpuThrottle, 'wait'>;
}

const READ_METHODS = 'GET, HEAD, OPTIONS';
const ALL_METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS';

/**
 * Makes the function that sends each request to REST, GraphQL, a page or a health check.
 *
 * @throws {Error} for a REST operation that would answer in place of a page, a health check or GraphQL
 */
export function createDispatch(options: DispatchOptions): (request: IncomingRequest) => Answered | Promise<Answered> {
  const { basePath, authentication, concurrency, rest, graphql, playground, checks, pages, session } = options;
  const { aboutClients, restPaths } = options;
  const ownPaths = ['/graphql', ...Object.keys({ ...checks, ...pages })];
  assertNoneHidden(ownPaths, restPaths);
  const paths = [...restPaths, ...ownPaths];

  return (request) =>
    answerWithoutPath(request) ?? answerLifecyclePage(request) ?? rest(request) ?? answerOtherPath(request);

  /** Answers what is invalid, or asks for no path of the service. */
  function answerWithoutPath(request: IncomingRequest) {
    const { method, headers } = request;
    if (request.error !== undefined) return rejectedInTurn(request, request.error);
    if (method === 'OPTIONS' && headers.get('access-control-request-method') !== null) {
      return noContent('none', 'preflight', preflightHeaders(ALL_METHODS));
    }
    // It asks about the service as a whole (RFC 9110, section 9.3.7).
    if (method === 'OPTIONS' && request.fullPath === '*') return noContent('none', 'options', ['allow', ALL_METHODS]);
    return request.path === '' ? notFound(request) : undefined;
  }

  /** The lifecycle page and its operation are one resource: a browser gets the page, and sends the page's form to it. */
  function answerLifecyclePage(request: IncomingRequest) {
    const { method, headers, path } = request;
    if (path !== LIFECYCLE_PAGE || !prefersHtml(headers.get('accept'))) return undefined;
    if (method === 'POST') return settle('page', path, request, () => session.answer(request));
    return isRead(method) ? answerOtherPath(request) : undefined;
  }

  function answerOtherPath(request: IncomingRequest) {
    const { path } = request;
    if (path === '/graphql') return answerGraphQL(request);
    const check = checks[path];
    if (check !== undefined) return answerPage('health', path, request, check);
    const page = pages[path] ?? playground?.assets[path];
    return page === undefined ? notFound(request) : answerPage('page', path, request, page);
  }

  async function answerGraphQL(request: IncomingRequest): Promise<Answered> {
    const { method, headers } = request;
    if (method === 'OPTIONS') return noContent('graphql', 'options', ['allow', 'GET, HEAD, POST, OPTIONS']);
    if (playground !== undefined && isRead(method) && prefersHtml(headers.get('accept'))) {
      return settle('page', 'playground', request, async () => {
        await request.meter.waitFor(options.throttle, 1);
        return playground.page(request);
      });
    }
    return graphql(method === 'HEAD' ? { ...request, method: 'GET' } : request);
  }

  function answerPage(protocol: Protocol, path: string, request: IncomingRequest, read: PageMaker) {
    const { method } = request;
    if (method === 'OPTIONS') return noContent(protocol, path, ['allow', READ_METHODS]);
    if (!isRead(method)) {
      const message = `${path} has no method ${method}; it accepts ${READ_METHODS}.`;
      const error = new ServiceError('METHOD_NOT_ALLOWED', message, { headers: { allow: READ_METHODS } });
      return rejectedInTurn(request, error);
    }
    return settle(protocol, path, request, async () => {
      const unitsOf = aboutClients[path];
      if (unitsOf !== undefined) {
        const headers = path === LIFECYCLE_PAGE ? session.headersOf(request) : request.headers;
        authentication.authorize(await authentication.authenticate(request, headers), [READ]);
        request.meter.charge(unitsOf());
      }
      // A health check is answered under any load.
      if (protocol === 'health') return read(request);
      await request.meter.waitFor(options.throttle, 1);
      return concurrency.run(() => callWithin(request, () => read(request)), request.meter.load('read'));
    });
  }

  async function notFound(request: IncomingRequest): Promise<Answered> {
    const { fullPath, meter } = request;
    const late = await meter.waitFor(options.throttle, 1)?.catch(toServiceError);
    if (late !== undefined) return rejected(request, late);
    const nearest = nearestTo(fullPath);
    const hint = nearest === undefined ? `see ${basePath}/openapi.json.` : `did you mean ${nearest}?`;
    const error = new ServiceError('NOT_FOUND', `${fullPath} is not a path of this service; ${hint}`);
    return { ...rejected(request, error), nearest };
  }

  function nearestTo(path: string): string | undefined {
    const nearest = nearestPath(path.startsWith(basePath) ? path.slice(basePath.length) : path, paths);
    return nearest === undefined ? undefined : basePath + nearest;
  }

  async function rejectedInTurn(request: IncomingRequest, error: ServiceError): Promise<Answered> {
    return labeled('none', 'none', await errorReplyInTurn(error, request, options.throttle));
  }
}

/** The answer of a page or health check, or the error that its work throws. */
async function settle(
  protocol: Protocol,
  operation: string,
  request: IncomingRequest,
  work: () => Promise<HttpReply>,
): Promise<Answered> {
  try {
    return labeled(protocol, operation, { reply: await work() });
  } catch (thrown) {
    return labeled(protocol, operation, errorReply(toServiceError(thrown), request.headers.get('accept')));
  }
}

function noContent(protocol: Protocol, operation: string, headers: HeaderFields): Answered {
  return labeled(protocol, operation, { reply: { status: 204, headers, body: null } });
}

function rejected({ headers }: IncomingRequest, error: ServiceError): Answered {
  return labeled('none', 'none', errorReply(error, headers.get('accept')));
}

function isRead(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

function assertNoneHidden(ownPaths: readonly string[], restPaths: readonly string[]): void {
  for (const path of restPaths) {
    const pattern = new RegExp(`^${fillTemplate(path, () => '[^/]+')}$`);
    // The lifecycle page and its operation are one resource.
    const hidden = ownPaths.find((own) => own !== LIFECYCLE_PAGE && pattern.test(own));
    if (hidden !== undefined) throw new Error(`The route ${path} hides ${hidden}, which the service itself has.`);
  }
}
