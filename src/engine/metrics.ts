/** The kind of a request; `none` for an unknown path. */
export type Protocol = 'rest' | 'graphql' | 'page' | 'health' | 'none';

/** Metrics of requests. Every label has a bounded number of values, whatever clients send. */
export interface RequestMetrics {
  /** Counts a use of an annotated element. The number of different clients is bounded. */
  use(coordinate: string, level: string, client: string): void;
  /** Counts a finished request by the status of its error if it has one: GraphQL returns most errors with 200. */
  request(protocol: Protocol, operation: string, status: number, seconds: number): void;
  /** Counts published events; `lag` is how far readers were behind, in seconds. */
  published(count: number, lag: number): void;
  /** The number of open streams of events and long polls. */
  streams(count: number): void;
  /** Counts an attempt to deliver an event to a webhook. */
  delivery(outcome: 'delivered' | 'retried' | 'failed' | 'disabled'): void;
  /** The age of the oldest event that a webhook waits for, in seconds; 0 for none. */
  undelivered(age: number): void;
  /** All metrics in the text format of Prometheus. */
  render(): Promise<{ contentType: string; text: string }>;
}
