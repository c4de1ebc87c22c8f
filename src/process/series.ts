import { Counter, Histogram, type Registry } from 'prom-client';

/*
 * Metrics that count by themselves; prom-client only shows them. For each value, it would build a string of the labels, and
 * a histogram one of the bucket's bound, too.
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

interface Described<N extends readonly string[]> {
  readonly name: string;
  readonly help: string;
  readonly labelNames: N;
  readonly registers: Registry[];
}

/** The labels in the order of their names. */
type LabelsOf<N extends readonly string[], L extends Label> = { readonly [K in keyof N]: L };

function byName(names: readonly string[], labels: readonly Label[]): Record<string, Label> {
  return Object.fromEntries(names.map((name, n) => [name, labels[n] as Label]));
}

/** Makes a counter; returns what adds one. */
export function counter<const N extends readonly string[]>(
  described: Described<N>,
): (...labels: LabelsOf<N, Label>) => void {
  const series = new Series(() => ({ count: 0 }));
  const shown = new Counter({
    ...described,
    collect: () => {
      for (const [labels, one] of series.all()) {
        shown.inc(byName(described.labelNames, labels), one.count);
        one.count = 0;
      }
    },
  });
  return (...labels) => {
    series.of(labels).count++;
  };
}

interface Observed {
  /** For each bound, the number of values up to it and above the bound before. */
  readonly counts: number[];
  count: number;
  sum: number;
}

/** Makes a histogram; returns what adds a value. */
export function histogram<const N extends readonly string[]>(
  described: Described<N> & { readonly buckets: number[] },
): (value: number, ...labels: LabelsOf<N, string>) => void {
  const { name, help, labelNames, buckets } = described;
  const series = new Series<Observed>(() => ({ counts: buckets.map(() => 0), count: 0, sum: 0 }));
  const shown = new Histogram(described);
  // Its name in prom-client, whose registry and whose `get` call it.
  const getForPromString = () => {
    const values = [...series.all()].flatMap(([labels, { counts, count, sum }]) => {
      const sharedLabels = byName(labelNames, labels);
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
  };
  Object.assign(shown, { getForPromString });
  return (value, ...labels) => {
    const one = series.of(labels);
    one.count++;
    one.sum += value;
    const bucket = buckets.findIndex((bound) => value <= bound);
    if (bucket !== -1) (one.counts[bucket] as number)++;
  };
}
