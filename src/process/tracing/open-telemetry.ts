import type { Attributes, SpanContext } from '@opentelemetry/api';
import { SpanKind, TraceFlags } from '@opentelemetry/api';
import { parseTraceParent } from '@opentelemetry/core';
import { RandomIdGenerator } from '@opentelemetry/sdk-trace-base';
import type { Logger } from 'pino';
import type { StatementTracing, TracedRequests } from '../../engine/db/client.ts';
import { DatabaseError } from '../../engine/db/violations.ts';
import { ServiceError } from '../../engine/errors.ts';
import { failureLog } from '../../engine/failure-log.ts';
import type { RequestSpan, TracedRequest } from '../../engine/tracing/span.ts';
import { samplerFrom } from './sampling.ts';
import { SpanQueue } from './span-queue.ts';

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
/** The scheme, host and port of an origin: a `URL` for each request takes longer. */
const ORIGIN = /^(\w+):\/\/(.+?)(?::(\d+))?$/;
const ids = new RandomIdGenerator();

/**
 * Tracing by OpenTelemetry, exported by OTLP over HTTP. Attributes follow the semantic conventions for HTTP and for
 * databases.
 *
 * @see https://opentelemetry.io/docs/specs/semconv/http/http-spans/
 * @see https://opentelemetry.io/docs/specs/semconv/database/database-spans/
 */
export function createOpenTelemetry(name: string, environment: NodeJS.Dict<string>, logger: Logger) {
  const queue = new SpanQueue(name, environment, failureLog(logger, 'OpenTelemetry has a problem'));
  const isSampled = samplerFrom(environment);
  /**
   * AsyncLocalStorage would also keep it after an `await`, but before Node 24 it slows down every promise of the process
   * while a request is recorded.
   */
  let current: RequestSpans | undefined;

  class RequestSpans implements TracedRequests {
    readonly spans: readonly [SpanContext, ...SpanContext[]];

    constructor(spans: readonly [SpanContext, ...SpanContext[]]) {
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

    async statement<T>(name: string, sql: string, run: () => Promise<T>): Promise<T> {
      const [parent, ...links] = this.spans;
      const start = performance.now();
      let failure: string | undefined;
      try {
        return await run();
      } catch (error) {
        failure = errorTypeOf(error);
        throw error;
      } finally {
        queue.push({
          name,
          kind: SpanKind.CLIENT,
          context: { traceId: parent.traceId, spanId: ids.generateSpanId(), traceFlags: TraceFlags.SAMPLED },
          parent,
          links,
          attributes: { 'db.system.name': 'postgresql', 'db.query.summary': name, 'db.query.text': sql },
          failure,
          start,
          end: performance.now(),
        });
      }
    }
  }

  const statements: StatementTracing = {
    current: () => current,
    together(calls) {
      const traced = (calls as readonly { readonly requests: RequestSpans | undefined }[])
        .map(({ requests }) => requests)
        .filter((requests) => requests !== undefined);
      if (traced.length <= 1) return traced[0];
      const [first, ...others] = new Set(traced.flatMap(({ spans }) => spans));
      return first && new RequestSpans([first, ...others]);
    },
  };

  return {
    statements,
    request(request: TracedRequest): RequestSpan | undefined {
      const parent = parentOf(request);
      const isRecorded = isSampled(parent);
      if (!isRecorded && parent === undefined) return undefined;
      const context = {
        traceId: parent?.traceId ?? ids.generateTraceId(),
        spanId: ids.generateSpanId(),
        traceFlags: isRecorded ? TraceFlags.SAMPLED : TraceFlags.NONE,
      };
      return isRecorded ? recording(request, context, parent) : unrecorded(context);
    },
    shutdown: () => queue.shutdown(),
  };

  function recording(request: TracedRequest, context: SpanContext, parent: SpanContext | undefined): RequestSpan {
    const start = performance.now();
    const own = new RequestSpans([context]);
    return {
      ...unrecorded(context),
      call: (work) => own.call(work),
      stores: (stores) => within(own, stores),
      end({ route, status, failure }) {
        const isKnown = METHODS.has(request.method);
        const method = isKnown ? request.method : 'HTTP';
        queue.push({
          name: route === undefined ? method : `${method} ${route}`,
          kind: SpanKind.SERVER,
          context,
          parent,
          traceState: request.headers.get('tracestate') ?? undefined,
          links: [],
          attributes: {
            'http.request.method': isKnown ? method : '_OTHER',
            ...attributesOf(request),
            ...(route !== undefined && { 'http.route': route }),
            'http.response.status_code': status,
          },
          failure,
          start,
          end: performance.now(),
        });
      },
    };
  }
}

/** The span of the caller (W3C Trace Context), if the request names it. */
function parentOf({ headers }: TracedRequest): SpanContext | undefined {
  const parent = parseTraceParent(headers.get('traceparent') ?? '');
  return parent === null ? undefined : { ...parent, isRemote: true };
}

/** The stores with their functions called for these requests. A proxy wraps only what a request uses. */
function within<T>(requests: TracedRequests, part: T, owner?: object): T {
  if (typeof part === 'function') return ((...args: unknown[]) => requests.call(() => part.apply(owner, args))) as T;
  if (typeof part !== 'object' || part === null) return part;
  return new Proxy(part, { get: (stores, name) => within(requests, Reflect.get(stores, name), stores) });
}

/** A request that is not recorded: its span only passes the trace on. */
function unrecorded({ traceId, spanId, traceFlags }: SpanContext): RequestSpan {
  return {
    traceparent: `00-${traceId}-${spanId}-0${traceFlags}`,
    fields: { trace_id: traceId, span_id: spanId },
    call: (work) => work(),
    stores: (stores) => stores,
    end: () => {},
  };
}

function attributesOf({ fullPath, origin, headers: fields }: TracedRequest): Attributes {
  const [, scheme = 'http', host = 'unknown', port] = ORIGIN.exec(origin) ?? [];
  const agent = fields.get('user-agent');
  return {
    'url.path': fullPath,
    'url.scheme': scheme,
    'server.address': host,
    ...(port !== undefined && { 'server.port': Number(port) }),
    ...(agent !== null && { 'user_agent.original': agent }),
  };
}

/** The `error.type` of a span: the SQLSTATE or the code, because the class of such an error is the same for every cause. */
function errorTypeOf(error: unknown): string {
  if (error instanceof DatabaseError) return error.state;
  if (error instanceof ServiceError) return error.code;
  return error instanceof Error ? error.name : 'unknown';
}
