import { Counter, type CounterConfiguration, Histogram, type HistogramConfiguration } from 'prom-client';

/*
 * Metrics that add up until they are collected. For each value, prom-client builds a string of the labels, and one of the
 * bound of a bucket: that took a tenth of a request.
 */

type Label = string | number;

/** A value for each combination of labels. */
class Series<V> {
  readonly #make: () => V;
  readonly #further = new Map<Label, Series<V>>();
  #value: V | undefined;

  constructor(make: () => V) {
    this.#make = make;
  }

  of(labels: readonly Label[]): V {
    let series: Series<V> = this;
    for (const label of labels) {
      let next = series.#further.get(label);
      if (next === undefined) {
        next = new Series(this.#make);
        series.#further.set(label, next);
      }
      series = next;
    }
    series.#value ??= this.#make();
    return series.#value;
  }

  *all(labels: readonly Label[] = []): Generator<readonly [readonly Label[], V]> {
    if (this.#value !== undefined) yield [labels, this.#value];
    for (const [label, series] of this.#further) yield* series.all([...labels, label]);
  }
}

function byName<T extends string>(names: readonly T[], labels: readonly Label[]): Partial<Record<T, Label>> {
  return Object.fromEntries(names.map((name, n) => [name, labels[n]])) as Partial<Record<T, Label>>;
}

/** Makes a counter; returns what adds one, given the labels in the order of their names. */
export function counter<T extends string>(
  configuration: CounterConfiguration<T> & { readonly labelNames: readonly T[] },
): (...labels: readonly Label[]) => void {
  const series = new Series(() => ({ count: 0 }));
  const counts = new Counter({
    ...configuration,
    collect: () => {
      for (const [labels, one] of series.all()) {
        counts.inc(byName(configuration.labelNames, labels), one.count);
        one.count = 0;
      }
    },
  });
  return (...labels) => {
    series.of(labels).count++;
  };
}

interface Observed {
  /** For each bound, the values up to it that are above the one before. */
  readonly counts: number[];
  count: number;
  sum: number;
}

/** Makes a histogram; returns what adds a value, given the labels in the order of their names. */
export function histogram<T extends string>(
  configuration: HistogramConfiguration<T> & { readonly labelNames: readonly T[]; readonly buckets: readonly number[] },
): (value: number, ...labels: readonly Label[]) => void {
  const { name, help, labelNames, buckets } = configuration;
  const series = new Series<Observed>(() => ({ counts: buckets.map(() => 0), count: 0, sum: 0 }));

  class Collected extends Histogram<T> {
    /** Its name in prom-client, whose registry and whose `get` call it. */
    getForPromString() {
      const values = [...series.all()].flatMap(([given, { counts, count, sum }]) => {
        const sharedLabels = byName(labelNames, given);
        let total = 0;
        const upTo = buckets.map((le, n) => {
          total += counts[n] as number;
          return { labels: { le }, sharedLabels, value: total, metricName: `${name}_bucket` };
        });
        return [
          ...upTo,
          { labels: { le: '+Inf' }, sharedLabels, value: count, metricName: `${name}_bucket` },
          { labels: {}, sharedLabels, value: sum, metricName: `${name}_sum` },
          { labels: {}, sharedLabels, value: count, metricName: `${name}_count` },
        ];
      });
      return { name, help, type: 'histogram', values, aggregator: 'sum' };
    }
  }

  new Collected(configuration);
  return (value, ...labels) => {
    const one = series.of(labels);
    one.count++;
    one.sum += value;
    const bucket = buckets.findIndex((bound) => value <= bound);
    if (bucket !== -1) (one.counts[bucket] as number)++;
  };
}
