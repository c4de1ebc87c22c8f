import fc from 'fast-check';
import { AggregatorRegistry, Counter, Histogram, Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { counter, histogram } from '../../src/process/series.ts';

const label = fc.constantFrom('rest', 'graphql', 'toString', '__proto__', '');
const observation = fc.tuple(
  fc.oneof(fc.constantFrom(0, 0.001, 0.5, 10), fc.double({ min: 0, max: 20, noNaN: true })),
  label,
  label,
);
const buckets = [0.001, 0.5, 10];

/** A registry with metrics of our own, and one with the same of prom-client; both are collected once in between. */
async function observeBoth(first: readonly [number, string, string][], later: typeof first) {
  const [ours, theirs] = [new Registry(), new Registry()];
  const of = { help: 'What it is.', labelNames: ['one', 'other'] };
  const count = counter({ ...of, name: 'all_total', registers: [ours] });
  const record = histogram({ ...of, name: 'all_seconds', buckets, registers: [ours] });
  const counts = new Counter({ ...of, name: 'all_total', registers: [theirs] });
  const seconds = new Histogram({ ...of, name: 'all_seconds', buckets, registers: [theirs] });
  for (const observations of [first, later]) {
    for (const [value, one, other] of observations) {
      count(one, other);
      counts.inc({ one, other });
      record(value, one, other);
      seconds.observe({ one, other }, value);
    }
    await ours.metrics();
  }
  return { ours, theirs };
}

/** The lines in any order: series are listed in the order in which their labels were first seen. */
const linesOf = (text: string) => text.split('\n').sort();

test('metrics that count by themselves are shown as those of prom-client, also when workers are added up', async () => {
  const some = fc.array(observation, { maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(some, some, async (first, later) => {
      const { ours, theirs } = await observeBoth(first, later);
      expect(linesOf(await ours.metrics())).toEqual(linesOf(await theirs.metrics()));
      const sums = await Promise.all(
        [ours, theirs].map(async (registry) => {
          const counts = await registry.getMetricsAsJSON();
          return linesOf(await AggregatorRegistry.aggregate([counts, counts]).metrics());
        }),
      );
      expect(sums[0]).toEqual(sums[1]);
    }),
  );
});
