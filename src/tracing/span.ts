/** The parts of an answer that its span records. */
export interface TracedAnswer {
  /** The path with `{name}` for its variables; undefined where no route has it. */
  readonly route: string | undefined;
  readonly status: number;
  /** The code of the error, where the service failed. */
  readonly failure: string | undefined;
}

/** The span of a request in progress. */
export interface RequestSpan {
  /** The header field of the answer, by W3C Trace Context. */
  readonly traceparent: string;
  /** The fields of the request's log lines. */
  readonly fields: { readonly trace_id: string; readonly span_id: string };
  /** Runs the work within the span: the statements that it waits for are its children. */
  run<T>(work: () => T): T;
  end(answer: TracedAnswer): void;
}
