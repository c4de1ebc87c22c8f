import { AggregatorRegistry } from 'prom-client';
import { expect, test } from 'vitest';
import { createMetrics } from '../../src/process/metrics.ts';

test('webhook_deliveries_total begins at 0 for each outcome, so that the first failure is an increase', async () => {
  const text = await createMetrics().registry.metrics();
  for (const outcome of ['delivered', 'retried', 'failed', 'disabled']) {
    expect(text).toContain(`webhook_deliveries_total{outcome="${outcome}"} 0\n`);
  }
});

test.each([
  ['the delay of the event loop is that of the slowest', 'nodejs_eventloop_lag_p99_seconds'],
  ['the start is that of the last', 'process_start_time_seconds'],
])('of several workers, %s', async (_, name) => {
  const workers = await Promise.all(
    [0.01, 3, 0.02].map(async (value) => {
      const metrics = await createMetrics().registry.getMetricsAsJSON();
      for (const one of metrics.find((metric) => metric.name === name)?.values ?? []) one.value = value;
      return metrics;
    }),
  );
  expect(await AggregatorRegistry.aggregate(workers).metrics()).toContain(`\n${name} 3\n`);
});
