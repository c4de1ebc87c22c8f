import cluster, { type Worker } from 'node:cluster';
import { AggregatorRegistry, type Registry } from 'prom-client';
import { ServiceError } from '../../engine/errors.ts';
import { fewNames, type Metrics } from '../metrics.ts';
import { lastMessage } from './end.ts';

/** How long a worker may take to tell what it has counted, in milliseconds. */
const PATIENCE = 5_000;

type Counts = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** What workers say: that they want the metrics of all, and what they have counted. */
interface FromWorker {
  readonly metricsOfAll?: number;
  readonly counts?: Counts;
  /** What they answer by that. */
  readonly question?: number;
}

/** What they are told: that they are to tell their counts, and the metrics of all where all told theirs in time. */
interface ToWorker {
  readonly question?: number;
  readonly metricsOfAll?: number;
  readonly text?: string | undefined;
}

/** A worker's part in the metrics of all. */
interface SharedMetrics extends Metrics {
  /** Tells what has been counted: when the worker begins to serve, for it is asked from then on, and at its end. */
  tell(): Promise<void>;
}

/**
 * In the process that started the workers: answers each that asks for the metrics of all. What is counted never goes
 * back: of a worker that has ended stays what it told last.
 */
export function addUpMetrics(): void {
  const last = new Map<Worker, Counts>();
  const asked = new Map<number, { readonly worker: Worker; resolve(hasTold: boolean): void }>();
  const label = fewNames();
  let ended = Promise.resolve<Counts>([]);
  let questions = 0;
  cluster.on('message', (worker, { counts, question, metricsOfAll }: FromWorker) => {
    if (counts !== undefined) last.set(worker, withFewClients(counts, label));
    if (question !== undefined) asked.get(question)?.resolve(true);
    if (metricsOfAll !== undefined) void answer(worker, metricsOfAll);
  });
  cluster.on('exit', async (worker) => {
    await lastMessage(worker);
    const counts = (last.get(worker) ?? []).filter(({ type }) => /^(counter|histogram)$/.test(`${type}`));
    last.delete(worker);
    ended = ended.then((before) => addUp([before, counts]).getMetricsAsJSON());
    for (const one of asked.values()) if (one.worker === worker) one.resolve(true);
  });

  async function answer(asking: Worker, metricsOfAll: number): Promise<void> {
    const haveTold = await Promise.all([...last.keys()].map(ask));
    // Both as they are now: one that ends meanwhile goes from one to the other.
    const [before, now] = [ended, [...last.values()]];
    const text = haveTold.includes(false) ? undefined : await addUp([await before, ...now]).metrics();
    send(asking, { metricsOfAll, text });
  }

  /** Answers whether it has told; one that has ended need not. */
  async function ask(worker: Worker): Promise<boolean> {
    const question = questions++;
    let late: NodeJS.Timeout | undefined;
    const told = new Promise<boolean>((resolve) => {
      asked.set(question, { worker, resolve });
      late = setTimeout(() => resolve(false), PATIENCE);
    });
    send(worker, { question });
    return told.finally(() => {
      clearTimeout(late);
      asked.delete(question);
    });
  }
}

/** In a worker: counts for itself, and renders the metrics of all workers together. */
export function sharedMetrics(metrics: Metrics): SharedMetrics {
  const { registry } = metrics;
  const waiting = new Map<number, (answer: ToWorker) => void>();
  let questions = 0;
  process.on('message', ({ question, metricsOfAll, ...answer }: ToWorker) => {
    if (question !== undefined) void tell(question);
    if (metricsOfAll !== undefined) waiting.get(metricsOfAll)?.(answer);
  });
  return {
    ...metrics,
    tell,
    async render() {
      const metricsOfAll = questions++;
      const answered = new Promise<ToWorker>((resolve) => waiting.set(metricsOfAll, resolve));
      process.send?.({ metricsOfAll } satisfies FromWorker);
      const { text } = await answered.finally(() => waiting.delete(metricsOfAll));
      if (text === undefined) throw new ServiceError('UNAVAILABLE', 'Not all workers reported their metrics in time.');
      return { contentType: registry.contentType, text };
    },
  };

  async function tell(question?: number): Promise<void> {
    const counts = await registry.getMetricsAsJSON();
    const told: FromWorker = { counts, ...(question !== undefined && { question }) };
    await new Promise((resolve) => process.send?.(told, undefined, undefined, resolve));
  }
}

function addUp(counts: readonly Counts[]): Registry {
  return AggregatorRegistry.aggregate([...counts]);
}

/** Each worker tells a number of clients apart: together they would tell too many. */
function withFewClients(counts: Counts, label: (name: string) => string): Counts {
  for (const { values } of counts) {
    for (const { labels } of values) {
      if (labels.client !== undefined) labels.client = label(`${labels.client}`);
    }
  }
  return counts;
}

/** One that has ended meanwhile hears nothing. */
function send(worker: Worker, message: ToWorker): void {
  worker.send(message, () => {});
}
