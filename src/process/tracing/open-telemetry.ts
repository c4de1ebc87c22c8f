import {
  type Attributes,
  DiagLogLevel,
  diag,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  type TextMapGetter,
  trace,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOnSampler,
  BasicTracerProvider,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-base';
import type { Logger } from 'pino';
import type { StatementTracing, TracedRequests } from '../../engine/db/client.ts';
import type { RequestSpan, TracedRequest } from '../../engine/tracing/span.ts';

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const FIELDS = ['traceparent', 'tracestate'];
const headers: TextMapGetter<TracedRequest['headers']> = {
  keys: () => FIELDS,
  get: (carrier, name) => carrier.get(name) ?? undefined,
};
/** The scheme, host and port of an origin; to make a `URL` for each request takes longer. */
const ORIGIN = /^(\w+):\/\/(.+?)(?::(\d+))?$/;
const propagator = new W3CTraceContextPropagator();

/**
 * Tracing by OpenTelemetry, exported by OTLP over HTTP. Attributes follow the semantic conventions for HTTP and for
 * databases.
 *
 * @see https://opentelemetry.io/docs/specs/semconv/http/http-spans/
 * @see https://opentelemetry.io/docs/specs/semconv/database/database-spans/
 */
export function createOpenTelemetry(name: string, environment: NodeJS.Dict<string>, logger: Logger) {
  const warn = (message: string) => logger.warn({ openTelemetry: message }, 'OpenTelemetry has a problem');
  const ignore = () => {};
  diag.setLogger({ error: warn, warn, info: ignore, debug: ignore, verbose: ignore }, DiagLogLevel.WARN);
  const named = resourceFromAttributes({ 'service.name': name });
  const ratio = rootRatioFrom(environment);
  const provider = new BasicTracerProvider({
    resource: defaultResource()
      .merge(named)
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
    ...(ratio !== undefined && { sampler: samplerOf(ratio, environment) }),
  });
  const tracer = provider.getTracer(name);
  /**
   * With AsyncLocalStorage it would be known after an `await` too, but before Node 24 that slows down every promise of
   * the process while a request is recorded.
   */
  let current: Spans | undefined;

  class Spans implements TracedRequests {
    readonly spans: readonly [Span, ...Span[]];

    constructor(spans: readonly [Span, ...Span[]]) {
      this.spans = spans;
    }

    call<T>(work: () => T): T {
      const before = current;
      current = this;
      try {
        return work();
      } finally {
        current = before;
      }
    }

    statement<T>(name: string, sql: string, run: () => Promise<T>): Promise<T> {
      const [parent, ...others] = this.spans;
      return recordStatement(parent, others, name, sql, run);
    }
  }

  const statements: StatementTracing = {
    current: () => current,
    together(requests) {
      const traced = (requests as readonly (Spans | undefined)[]).filter((one) => one !== undefined);
      if (traced.length <= 1) return traced[0];
      const [first, ...others] = new Set(traced.flatMap(({ spans }) => spans));
      return first && new Spans([first, ...others]);
    },
  };

  async function recordStatement<T>(
    parent: Span,
    others: readonly Span[],
    name: string,
    sql: string,
    run: () => Promise<T>,
  ): Promise<T> {
    const span = tracer.startSpan(
      name,
      {
        kind: SpanKind.CLIENT,
        links: others.map((other) => ({ context: other.spanContext() })),
        attributes: { 'db.system.name': 'postgresql', 'db.query.summary': name, 'db.query.text': sql },
      },
      trace.setSpan(ROOT_CONTEXT, parent),
    );
    try {
      return await run();
    } catch (error) {
      fail(span, error instanceof Error ? error.name : 'unknown');
      throw error;
    } finally {
      span.end();
    }
  }

  return {
    statements,
    request(request: TracedRequest): RequestSpan | undefined {
      const { method } = request;
      const isGiven = request.headers.get('traceparent') !== null;
      const parent = isGiven ? propagator.extract(ROOT_CONTEXT, request.headers, headers) : ROOT_CONTEXT;
      const isRoot = trace.getSpanContext(parent) === undefined;
      // Before anything is made for it: most requests are not sampled, and a trace id alone takes a microsecond.
      if (isRoot && ratio !== undefined && Math.random() >= ratio) return undefined;
      const isKnown = METHODS.has(method);
      const span = tracer.startSpan(isKnown ? method : 'HTTP', { kind: SpanKind.SERVER }, parent);
      if (!span.isRecording()) return new Unrecorded(span.spanContext());
      // Set after sampling: no sampler that the variables can name uses attributes.
      span.setAttributes(attributesOf(request, isKnown ? method : '_OTHER'));
      return recording(span, isKnown ? method : 'HTTP');
    },
    shutdown: () => provider.shutdown(),
  };

  function recording(span: Span, method: string): RequestSpan {
    const { traceparent, fields } = new Unrecorded(span.spanContext());
    const own = new Spans([span]);
    return {
      traceparent,
      fields,
      call: (work) => own.call(work),
      stores: (stores) => within(own, stores),
      end({ route, status, failure }) {
        if (route !== undefined) span.updateName(`${method} ${route}`).setAttribute('http.route', route);
        span.setAttribute('http.response.status_code', status);
        if (failure !== undefined) fail(span, failure);
        span.end();
      },
    };
  }
}

/** The stores with their functions called for these requests. A proxy wraps only what a request uses. */
function within<T>(requests: TracedRequests, part: T): T {
  if (typeof part === 'function') return ((...args: unknown[]) => requests.call(() => part(...args))) as T;
  if (typeof part !== 'object' || part === null) return part;
  return new Proxy(part, { get: (stores, name) => within(requests, Reflect.get(stores, name)) });
}

/** The span of a request that is not recorded: it only passes the trace on. */
class Unrecorded implements RequestSpan {
  readonly #context: SpanContext;

  constructor(context: SpanContext) {
    this.#context = context;
  }

  get traceparent(): string {
    const { traceId, spanId, traceFlags } = this.#context;
    return `00-${traceId}-${spanId}-0${traceFlags & 1}`;
  }

  get fields(): RequestSpan['fields'] {
    return { trace_id: this.#context.traceId, span_id: this.#context.spanId };
  }

  call<T>(work: () => T): T {
    return work();
  }

  stores<T extends object>(stores: T): T {
    return stores;
  }

  end(): void {}
}

/**
 * The part of the requests that start a trace which is sampled, if the variables set one; the SDK handles the other
 * samplers, and warns about invalid variables.
 */
function rootRatioFrom({ OTEL_TRACES_SAMPLER, OTEL_TRACES_SAMPLER_ARG = '' }: NodeJS.Dict<string>): number | undefined {
  const ratio = Number(OTEL_TRACES_SAMPLER_ARG);
  const isRatio = OTEL_TRACES_SAMPLER === 'parentbased_traceidratio' || OTEL_TRACES_SAMPLER === 'traceidratio';
  return isRatio && OTEL_TRACES_SAMPLER_ARG.trim() !== '' && ratio >= 0 && ratio <= 1 ? ratio : undefined;
}

/** The sampler of the requests that are left: of those that start a trace, the others are dropped before. */
function samplerOf(ratio: number, { OTEL_TRACES_SAMPLER }: NodeJS.Dict<string>): ParentBasedSampler {
  const byRatio = new TraceIdRatioBasedSampler(ratio);
  const ofOtherServices = { remoteParentSampled: byRatio, remoteParentNotSampled: byRatio };
  return new ParentBasedSampler({
    root: new AlwaysOnSampler(),
    ...(OTEL_TRACES_SAMPLER === 'traceidratio' && ofOtherServices),
  });
}

function attributesOf({ fullPath, origin, headers: fields }: TracedRequest, method: string): Attributes {
  const [, scheme = 'http', host = 'unknown', port] = ORIGIN.exec(origin) ?? [];
  const agent = fields.get('user-agent');
  return {
    'http.request.method': method,
    'url.path': fullPath,
    'url.scheme': scheme,
    'server.address': host,
    ...(port !== undefined && { 'server.port': Number(port) }),
    ...(agent !== null && { 'user_agent.original': agent }),
  };
}

function fail(span: Span, type: string): void {
  span.setAttribute('error.type', type);
  span.setStatus({ code: SpanStatusCode.ERROR });
}
