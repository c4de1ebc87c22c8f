import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Probe } from '../engine/db/client.ts';
import { OWN_PAGES } from '../engine/lifecycle/client.ts';
import { OTHERS } from '../engine/lifecycle/tally.ts';
import type { RequestMetrics } from '../engine/metrics.ts';
import { counter, histogram } from './series.ts';

const MAX_CLIENTS = 100;

export interface Metrics extends RequestMetrics {
  readonly registry: Registry;
  readonly probe: Probe;
}

/** Creates the metrics in a registry of their own, together with the default metrics of the process. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  // Of several workers, the one whose event loop is blocked, and the one that has started again.
  for (const metric of registry.getMetricsAsArray()) {
    if (metric.aggregator === 'average' || metric.aggregator === 'omit') metric.aggregator = 'max';
  }
  const registers = [registry];
  const countRequest = counter({
    name: 'http_requests_total',
    help: 'Answered requests.',
    labelNames: ['protocol', 'operation', 'status'],
    registers,
  });
  const timeRequest = histogram({
    name: 'http_request_duration_seconds',
    help: 'From the arrival of a request to its answer.',
    labelNames: ['protocol', 'operation'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers,
  });
  const countUse = counter({
    name: 'lifecycle_uses_total',
    help: 'Uses of what is experimental, beta or deprecated.',
    labelNames: ['coordinate', 'level', 'client'],
    registers,
  });
  const label = clientLabels();
  const timeStatement = histogram({
    name: 'db_statement_duration_seconds',
    help: 'From sending a statement to its result, the wait for a connection included.',
    labelNames: ['statement'],
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 5, 10],
    registers,
  });
  const countBatch = histogram({
    name: 'db_batch_size',
    help: 'Keys or rows that share a statement.',
    labelNames: ['batch'],
    buckets: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000],
    registers,
  });
  const published = new Counter({ name: 'events_published_total', help: 'Events that were published.', registers });
  const lag = new Gauge({
    name: 'events_lag_seconds',
    help: 'How far readers of events were behind at the last attempt to publish.',
    aggregator: 'max',
    registers,
  });
  const streams = new Gauge({ name: 'event_streams', help: 'Open streams of events, and long polls.', registers });
  const attempts = new Counter({
    name: 'webhook_deliveries_total',
    help: 'Attempts to deliver an event to a webhook, by what became of them.',
    labelNames: ['outcome'],
    registers,
  });
  // From 0, because Prometheus sees no increase in the first value of a series.
  for (const outcome of ['delivered', 'retried', 'failed', 'disabled']) attempts.inc({ outcome }, 0);
  const undelivered = new Gauge({
    name: 'webhook_oldest_undelivered_seconds',
    help: 'The age of the oldest event that a webhook waits for.',
    aggregator: 'max',
    registers,
  });
  return {
    registry,
    probe: {
      statement: (name, seconds) => timeStatement(seconds, name),
      batch: (name, size) => countBatch(size, name),
    },
    use(coordinate, level, client) {
      countUse(coordinate, level, label(client));
    },
    request(protocol, operation, status, seconds) {
      countRequest(protocol, operation, status);
      timeRequest(seconds, protocol, operation);
    },
    published(count, seconds) {
      published.inc(count);
      lag.set(seconds);
    },
    streams: (count) => streams.set(count),
    delivery: (outcome) => attempts.inc({ outcome }),
    undelivered: (age) => undelivered.set(age),
    render: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  };
}

/** Maps client names to a limited set of labels: our own pages, the first hundred clients, and one for all others. */
export function clientLabels(): (name: string) => string {
  const known = new Set(OWN_PAGES);
  return (name) => {
    if (known.size < MAX_CLIENTS + OWN_PAGES.size) known.add(name);
    return known.has(name) ? name : OTHERS;
  };
}
