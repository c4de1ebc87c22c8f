import type { StatementTracing } from '../db/client.ts';

interface TracedResponse {
  /** The path with `{name}` for its variables; undefined if no route matches. */
  readonly route: string | undefined;
  readonly status: number;
  /** The code of the error if the service failed. */
  readonly failure: string | undefined;
}

export interface TracedRequest {
  readonly method: string;
  /** The path that the client sent, percent-encoded. */
  readonly fullPath: string;
  /** The service's own origin, as the client knows it; empty if it is unknown. */
  readonly origin: string;
  readonly headers: Pick<Headers, 'get'>;
}

export interface Tracing {
  readonly statements: StatementTracing;
  /** Starts a span; undefined for a request that starts a trace and is not sampled. */
  request(request: TracedRequest): RequestSpan | undefined;
  /** Sends the remaining spans, and stops. */
  shutdown(): Promise<void>;
}

/** Calls the function within the span of the request, if it has one. */
export function callWithin<T>({ span }: { readonly span: RequestSpan | undefined }, work: () => T): T {
  return span === undefined ? work() : span.call(work);
}

export interface RequestSpan {
  /** The response's `traceparent` field (W3C Trace Context). */
  readonly traceparent: string;
  /** The fields of the request's log lines. */
  readonly fields: { readonly trace_id: string; readonly span_id: string };
  /** Calls the function within the span: statements that it runs before its first `await` are child spans. */
  call<T>(work: () => T): T;
  /** The same stores, with their functions called within the span. */
  stores<T extends object>(stores: T): T;
  end(response: TracedResponse): void;
}
