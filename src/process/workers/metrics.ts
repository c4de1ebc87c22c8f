import cluster, { type Worker } from 'node:cluster';
import { AggregatorRegistry, type Registry } from 'prom-client';
import { ServiceError } from '../../engine/errors.ts';
import { clientLabels, type Metrics } from '../metrics.ts';
import { lastMessage } from './end.ts';

/** How long a worker may take to report its counts, in milliseconds. */
const TIMEOUT = 5_000;

type Counts = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** What a worker and the primary process tell each other. A request has a number, which its answer repeats. */
interface Message {
  /** A request for the worker's counts, or the request that they answer. */
  readonly countsRequest?: number;
  readonly counts?: Counts;
  /** A worker's request for the metrics of all workers, or the request that their text answers. */
  readonly metricsOfAll?: number;
  /** Undefined when not all workers have reported in time. */
  readonly text?: string | undefined;
}

/**
 * In the primary process: answers the workers' requests for the metrics of all workers. Counters never decrease: the
 * last counts of a worker that has exited are kept.
 */
export function addUpMetrics(): void {
  const last = new Map<Worker, Counts>();
  const requested = new Map<number, { readonly worker: Worker; resolve(hasReported: boolean): void }>();
  const label = clientLabels();
  let ended = Promise.resolve<Counts>([]);
  let requests = 0;
  cluster.on('message', (worker, { counts, countsRequest, metricsOfAll }: Message) => {
    if (counts !== undefined) last.set(worker, withFewClients(counts, label));
    if (countsRequest !== undefined) requested.get(countsRequest)?.resolve(true);
    if (metricsOfAll !== undefined) void answer(worker, metricsOfAll);
  });
  cluster.on('exit', async (worker) => {
    await lastMessage(worker);
    const counts = (last.get(worker) ?? []).filter(({ type }) => /^(counter|histogram)$/.test(`${type}`));
    last.delete(worker);
    ended = ended.then((before) => addUp([before, counts]).getMetricsAsJSON());
    for (const one of requested.values()) if (one.worker === worker) one.resolve(true);
  });

  async function answer(client: Worker, metricsOfAll: number): Promise<void> {
    const haveReported = await Promise.all([...last.keys()].map(requestCounts));
    // Read together: a worker that exits later moves from `last` to `ended`, and would be counted twice or not at all.
    const [before, now] = [ended, [...last.values()]];
    const text = haveReported.includes(false) ? undefined : await addUp([await before, ...now]).metrics();
    send(client, { metricsOfAll, text });
  }

  /** Whether the worker has reported its counts in time, or has exited. */
  async function requestCounts(worker: Worker): Promise<boolean> {
    const countsRequest = requests++;
    let timer: NodeJS.Timeout | undefined;
    const reported = new Promise<boolean>((resolve) => {
      requested.set(countsRequest, { worker, resolve });
      timer = setTimeout(() => resolve(false), TIMEOUT);
    });
    send(worker, { countsRequest });
    return reported.finally(() => {
      clearTimeout(timer);
      requested.delete(countsRequest);
    });
  }
}

/** In a worker: counts on its own, and renders the metrics of all workers together. */
export function sharedMetrics(metrics: Metrics) {
  const { registry } = metrics;
  const waiting = new Map<number, (answer: Message) => void>();
  let requests = 0;
  process.on('message', ({ countsRequest, metricsOfAll, ...answer }: Message) => {
    if (countsRequest !== undefined) void report(countsRequest);
    if (metricsOfAll !== undefined) waiting.get(metricsOfAll)?.(answer);
  });
  return {
    ...metrics,
    /** Reports the worker's counts. Call it when the worker starts to serve, and at its end; in between it is asked. */
    report: (): Promise<void> => report(),
    async render() {
      const metricsOfAll = requests++;
      const answered = new Promise<Message>((resolve) => waiting.set(metricsOfAll, resolve));
      process.send?.({ metricsOfAll } satisfies Message);
      const { text } = await answered.finally(() => waiting.delete(metricsOfAll));
      if (text === undefined) throw new ServiceError('UNAVAILABLE', 'Not all workers reported their metrics in time.');
      return { contentType: registry.contentType, text };
    },
  };

  async function report(countsRequest?: number): Promise<void> {
    const counts = await registry.getMetricsAsJSON();
    const message: Message = { counts, ...(countsRequest !== undefined && { countsRequest }) };
    await new Promise((resolve) => process.send?.(message, undefined, undefined, resolve));
  }
}

function addUp(counts: readonly Counts[]): Registry {
  return AggregatorRegistry.aggregate([...counts]);
}

/** Limits the clients again: each worker has its own hundred. */
function withFewClients(counts: Counts, label: (name: string) => string): Counts {
  for (const { values } of counts) {
    for (const { labels } of values) {
      if (labels.client !== undefined) labels.client = label(`${labels.client}`);
    }
  }
  return counts;
}

/** Sends a message, and ignores the error for a worker that has exited. */
function send(worker: Worker, message: Message): void {
  worker.send(message, () => {});
}
