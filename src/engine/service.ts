import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { type Application, contextOf, endpointsOf, eventSourcesOf } from './application.ts';
import type { Access } from './auth/access.ts';
import { createAuthentication } from './auth/authentication.ts';
import type { Database } from './db/client.ts';
import { tableSizes } from './db/table-sizes.ts';
import { createDispatch } from './dispatch.ts';
import { toServiceError } from './errors.ts';
import { createEvents, type EventSettings } from './events/create.ts';
import { failureLog } from './failure-log.ts';
import { createFinish } from './finish.ts';
import { createGraphQLServer } from './graphql/server.ts';
import { createHealth } from './health.ts';
import { corsHeaders, originGuard } from './http/cors.ts';
import { fetchHandler } from './http/fetch.ts';
import { type IncomingRequest, type RawRequest, type RequestDefaults, readRequest } from './http/incoming.ts';
import { nodeListener } from './http/node.ts';
import { contentLength, labeled, type SentReply } from './http/reply.ts';
import { createIdempotency } from './idempotency/run.ts';
import { annotatedIn } from './lifecycle/annotated.ts';
import { levelOf } from './lifecycle/annotation.ts';
import { createLifecycleEnforcement, type LifecycleRules } from './lifecycle/enforcement.ts';
import { LIFECYCLE_PAGE } from './lifecycle/headers.ts';
import { CpuThrottle } from './limits/cpu-throttle.ts';
import { createLimits, type LimitSettings } from './limits/create.ts';
import { listCosts, UNITS_OF_METRICS, UNITS_OF_PAGE } from './limits/units.ts';
import type { RequestMetrics } from './metrics.ts';
import { createExecutor } from './operation/execute.ts';
import { createPlayground } from './pages/playground.ts';
import { createPageSession } from './pages/session.ts';
import { createSite } from './pages/site.ts';
import { createRestAdapter } from './rest/adapter.ts';
import { errorReply } from './rest/error-reply.ts';
import { restNamesOf } from './rest/lifecycle.ts';
import { countedTables } from './schema/connection-type.ts';
import { callWithin, type Tracing } from './tracing/span.ts';
import { lifecycleStore } from './usage/store.ts';
import { lifecycleUses } from './usage/table.ts';
import { createDeliverer } from './webhooks/deliver.ts';
import { createSender } from './webhooks/send.ts';

interface ServiceSettings extends EventSettings, LimitSettings {
  /** The prefix of every path, such as `/v1`; may be empty. */
  readonly BASE_PATH: string;
  /** The origin that clients use; undefined for the host that a request names. */
  readonly PUBLIC_URL?: string | undefined;
  readonly AUTH: 'open' | 'required' | 'all';
  /** The origins whose pages can read responses; `*` for all. */
  readonly CORS_ORIGINS: readonly string[];
  readonly PLAYGROUND: 'on' | 'off';
  readonly INTROSPECTION: 'on' | 'off';
  readonly NODE_ENV?: string | undefined;
}

interface AppOptions {
  readonly application: Application;
  readonly database: Database;
  readonly settings: ServiceSettings;
  readonly access: Access;
  readonly rules: LifecycleRules;
  readonly metrics: RequestMetrics;
  readonly logger: Logger;
  /** Traces requests; undefined for no traces. */
  readonly tracing?: Tracing | undefined;
  /** Of rate limits and webhooks, in milliseconds since the epoch. By default, that of rate limits never jumps. */
  readonly clock?: () => number;
}

export type App = ReturnType<typeof createApp>;

/** How many requests of a caller for pages and unknown paths are answered in one turn of the event loop. */
const MAX_PAGES_AT_ONCE = 10;
/** How many characters of credentials are looked up in one turn, for the requests of an address: those of one long token. */
const CREDENTIALS_AT_ONCE = 16_384;
/** The time to write the last responses of a drain, in milliseconds. */
const LAST_RESPONSES = 500;

/** Makes the service: the only place where GraphQL, REST, pages and the database meet. */
export function createApp(options: AppOptions) {
  const { application, database, settings, access, rules, metrics, logger, tracing, clock = Date.now } = options;
  const { schema } = application;
  const basePath = settings.BASE_PATH;
  const annotated = annotatedIn(schema);
  const sizes = tableSizes(database, countedTables(schema));
  const costs = listCosts(sizes.pagesOf);
  const endpoints = endpointsOf(application);
  const restNames = restNamesOf(endpoints);
  const lifecycle = lifecycleStore(database, {
    annotated,
    rest: restNames,
    clock: rules.clock,
    isRehearsal: rules.isRehearsal,
    onFailure: failureLog(logger, 'lifecycle uses could not be stored yet; the next attempt includes them'),
  });
  const events = createEvents({
    database,
    sources: eventSourcesOf(application),
    name: application.name,
    settings,
    metrics,
    logger,
    onPublished: () => deliverer.wake(),
    endpoint: endpoints.find(({ route }) => route.stream !== undefined),
    context: () => context,
  });
  const reach = settings.NODE_ENV === 'production' ? 'public' : 'loopback';
  const engineContext = {
    lifecycle,
    ...events.context,
    webhooks: { isOn: events.context.events.isOn, reach, clock } as const,
  };
  const deliverer = createDeliverer(database, {
    feed: events.context.events,
    bodiesOf: events.bodiesOf,
    sender: createSender(reach),
    name: application.name,
    clock,
    metrics,
    logger,
  });
  const contextIn = (session: Database) => contextOf(application, session, engineContext);
  const context = contextIn(database);
  const onDeletionFailure = failureLog(logger, 'old idempotency keys could not be deleted yet');
  const idempotency = createIdempotency(database, settings.REQUEST_TIMEOUT, contextIn, onDeletionFailure);
  const enforceLifecycle = createLifecycleEnforcement(rules, annotated, (use, client) => {
    metrics.use(use.coordinate, levelOf(use.annotations), client);
    lifecycle.count(use, client);
  });
  const onUnstored = failureLog(
    logger,
    'used cost units could not be stored, or old ones deleted; the next attempt includes them',
  );
  const { limiter, concurrency, meterFor, maxWait } = createLimits(settings, database, options.clock, onUnstored);
  const requestDefaults: RequestDefaults = {
    basePath,
    publicUrl: settings.PUBLIC_URL,
    meterFor,
    spanFor: (request) => tracing?.request(request),
  };
  const authentication = createAuthentication(access, concurrency, new CpuThrottle(CREDENTIALS_AT_ONCE, maxWait));
  const executeOperation = createExecutor({
    context,
    authentication,
    concurrency,
    enforceLifecycle,
    idempotency,
    costs,
    onChange: events.wake,
  });
  const throttle = new CpuThrottle(MAX_PAGES_AT_ONCE, maxWait);
  const rest = createRestAdapter({
    endpoints,
    authentication,
    executeOperation,
    guardOrigin: originGuard(settings.CORS_ORIGINS),
    openStream: events.openStream,
    throttle,
  });
  const graphql = createGraphQLServer({
    schema,
    authentication,
    executeOperation,
    introspection: settings.INTROSPECTION === 'on',
    subscriptions: { open: events.open, context, costs, logger },
    maxWait,
    suggestions: settings.NODE_ENV !== 'production' && settings.INTROSPECTION === 'on',
  });
  const playground = settings.PLAYGROUND === 'on' ? createPlayground(application, basePath) : undefined;
  const isPrivate = settings.AUTH === 'all';
  // A caller gets one page with the names of clients per turn: it may be long.
  const pageThrottle = new CpuThrottle(1, maxWait);
  const health = createHealth(database, metrics, pageThrottle);
  const session = createPageSession(application.name, `${basePath}${LIFECYCLE_PAGE}`, authentication, throttle);
  const pages = createSite({
    application,
    endpoints,
    annotated,
    restNames,
    basePath,
    rules,
    report: lifecycle.report,
    throttle: pageThrottle,
    isOpenByKey: session.isOpenBy,
    hasPlayground: playground !== undefined,
    hasSchema: settings.INTROSPECTION === 'on',
    hasEvents: events.context.events.isOn,
    isPrivate,
  });
  const dispatch = createDispatch({
    basePath,
    authentication,
    concurrency,
    rest,
    graphql,
    playground,
    checks: health.checks,
    pages,
    session,
    aboutClients: {
      [LIFECYCLE_PAGE]: () => UNITS_OF_PAGE + costs.count({ tables: [lifecycleUses] }),
      '/metrics': () => UNITS_OF_METRICS,
    },
    restPaths: endpoints.map(({ route }) => route.path),
    throttle,
  });
  const finish = createFinish({
    title: application.title,
    basePath,
    restPaths: new Map(endpoints.map(({ operationId, route }) => [operationId, route.path])),
    corsHeaders: corsHeaders(settings.CORS_ORIGINS),
    isPrivate,
    limiter,
    metrics,
    logger,
    isDraining: health.isDraining,
  });

  return {
    /** Starts the work in the background; once, before the first request. */
    async begin(): Promise<void> {
      await Promise.all([lifecycle.begin(), sizes.refresh(), limiter?.begin()]);
      events.begin();
      if (events.context.events.isOn) deliverer.begin();
      idempotency.begin();
    },
    /** Answers a request without a socket. */
    fetch: fetchHandler(respond),
    /** Answers requests of Node's HTTP server. */
    listener: nodeListener(respond, (error) => logger.error({ err: error }, 'a response could not be written')),

    /** Closes each connection with its next response; `/readyz` rejects, unless another process has replaced this one. */
    beginDrain({ isReplaced, grace }: { isReplaced: boolean; grace: number }): void {
      health.beginDrain({ isReplaced });
      events.endStreams();
      void deliverer.stop();
      concurrency.endWithin(grace - LAST_RESPONSES);
    },

    /** Ends the work in the background, and stores what is not stored yet; before the database is closed. */
    async flush(): Promise<void> {
      await Promise.all([lifecycle.flush(), idempotency.end(), limiter?.flush(), events.end(), deliverer.end()]);
    },
  };

  async function respond(raw: RawRequest): Promise<SentReply> {
    const started = performance.now();
    let request: IncomingRequest;
    try {
      request = readRequest(raw, requestDefaults);
    } catch (cause) {
      // Without what `finish` adds, which depends on the request.
      const [requestId, error] = [randomUUID(), toServiceError(cause)];
      logger.error({ requestId, code: error.code, err: cause }, error.message);
      metrics.request('none', 'failed', error.status, (performance.now() - started) / 1000);
      const { reply } = errorReply(error, raw.headers.get('accept'), ['x-request-id', requestId]);
      const headers = [...reply.headers, 'content-length', String(contentLength(reply))];
      return { ...reply, headers, encoding: 'utf8', caller: '' };
    }
    return callWithin(request, async () => {
      try {
        return finish(request, await dispatch(request), started);
      } catch (cause) {
        return finish(request, labeled('none', 'failed', errorReply(toServiceError(cause), null)), started);
      }
    });
  }
}
