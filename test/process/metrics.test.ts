import { AggregatorRegistry } from 'prom-client';
import { expect, test } from 'vitest';
import { createMetrics } from '../../src/process/metrics.ts';

test('webhook_deliveries_total begins at 0 for each outcome, so that the first failure is an increase', async () => {
  const text = await createMetrics().registry.metrics();
  for (const outcome of ['delivered', 'retried', 'failed', 'disabled']) {
    expect(text).toContain(`webhook_deliveries_total{outcome="${outcome}"} 0\n`);
  }
});

test('of several workers, the delay of the event loop is that of the slowest', async () => {
  const workers = await Promise.all(
    [0.01, 3, 0.02].map(async (delay) => {
      const metrics = await createMetrics().registry.getMetricsAsJSON();
      const delays = metrics.find(({ name }) => name === 'nodejs_eventloop_lag_p99_seconds');
      for (const one of delays?.values ?? []) one.value = delay;
      return metrics;
    }),
  );
  expect(await AggregatorRegistry.aggregate(workers).metrics()).toMatch(/^nodejs_eventloop_lag_p99_seconds 3$/m);
});
