import type { StatementTracing } from '../db/client.ts';

/** The parts of an answer that its span records. */
interface TracedAnswer {
  /** The path with `{name}` for its variables; undefined where no route has it. */
  readonly route: string | undefined;
  readonly status: number;
  /** The code of the error, where the service failed. */
  readonly failure: string | undefined;
}

/** A request, as far as its span records it. */
export interface TracedRequest {
  readonly method: string;
  /** The path that the client sent, percent-encoded. */
  readonly fullPath: string;
  /** The service's own origin, as the client knows it; empty where that is unknown. */
  readonly origin: string;
  readonly headers: Pick<Headers, 'get'>;
}

/** Traces requests and their statements. */
export interface Tracing {
  readonly statements: StatementTracing;
  /** Undefined for a request that begins a trace and is not sampled. */
  request(request: TracedRequest): RequestSpan | undefined;
  /** Sends what is not sent yet, and ends. */
  shutdown(): Promise<void>;
}

/** A request, as far as it may be traced. */
export interface Traced {
  readonly span?: RequestSpan | undefined;
}

/** Calls the function within the span of the request, where it has one. */
export function callWithin<T>({ span }: Traced, work: () => T): T {
  return span === undefined ? work() : span.call(work);
}

/** The stores for a request: their functions are called within its span, where it has one. */
export function storesFor<T extends object>({ span }: Traced, stores: T): T {
  return span === undefined ? stores : span.stores(stores);
}

/** The span of a request in progress. */
export interface RequestSpan {
  /** The header field of the answer, by W3C Trace Context. */
  readonly traceparent: string;
  /** The fields of the request's log lines. */
  readonly fields: { readonly trace_id: string; readonly span_id: string };
  /** Calls the function within the span: the statements that it runs before it first awaits are its children. */
  call<T>(work: () => T): T;
  /** The same stores, whose functions are called within the span. */
  stores<T extends object>(stores: T): T;
  end(answer: TracedAnswer): void;
}
