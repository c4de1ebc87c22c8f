import { AggregatorRegistry } from 'prom-client';
import { expect, test } from 'vitest';
import { OTHERS } from '../../src/engine/lifecycle/tally.ts';
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

test('uses are counted for the first 100 clients in /metrics, and together for all others', async () => {
  const metrics = createMetrics();
  for (let n = 0; n < 1_000; n++) metrics.use('Query.pet', 'deprecated', `client-${n}`);
  const { text } = await metrics.render();
  const counts = [...text.matchAll(/^lifecycle_uses_total\{.*client="(.*)"\} (\d+)$/gm)];
  expect(counts).toHaveLength(101);
  expect(counts.find(([, client]) => client === OTHERS)?.[2]).toBe('900');
});
