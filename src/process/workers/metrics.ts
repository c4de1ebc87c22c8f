import cluster, { type Worker } from 'node:cluster';
import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { AggregatorRegistry, type Registry } from 'prom-client';
import { ServiceError } from '../../engine/errors.ts';
import { sharedCall } from '../../engine/shared-call.ts';
import { clientLabels, type Metrics } from '../metrics.ts';

/** How long a worker may take to report its counts, in milliseconds. */
const TIMEOUT = 5_000;
/** How often it is asked whether a worker's last message has been received, in milliseconds. */
const POLL = 5;

type Counts = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** What a worker sends to the primary process, and that to a worker. The metrics are null if not all report in time. */
type FromWorker = { readonly counts?: Counts; readonly wantsMetrics?: true };
type ToWorker = { readonly wantsCounts?: true; readonly metrics?: string | null };

/** In the primary process: answers the workers' requests. The last counts of a worker that has exited are kept. */
export function addUpMetrics(): void {
  const last = new Map<Worker, Counts>();
  /** Emits the id of each worker that has reported its counts, or has exited. */
  const reports = new EventEmitter().setMaxListeners(0);
  const label = clientLabels();
  let ended = Promise.resolve<Counts>([]);
  const collect = sharedCall(() => Promise.all([...last.keys()].map(requestCounts)).then(metricsOfAll, () => null));
  cluster.on('message', (worker, { counts, wantsMetrics }: FromWorker) => {
    if (counts !== undefined) {
      last.set(worker, withFewClients(counts, label));
      reports.emit(`${worker.id}`);
    }
    if (wantsMetrics) void answer(worker);
  });
  cluster.on('exit', async (worker) => {
    await lastMessage(worker);
    const counts = (last.get(worker) ?? []).filter(({ type }) => /^(counter|histogram)$/.test(`${type}`));
    last.delete(worker);
    ended = ended.then((before) => AggregatorRegistry.aggregate([before, counts]).getMetricsAsJSON());
    reports.emit(`${worker.id}`);
  });

  async function answer(client: Worker): Promise<void> {
    send(client, { metrics: await collect() });
  }

  async function metricsOfAll(): Promise<string> {
    // Read together: a worker that exits later moves from `last` to `ended`, and would be counted twice or not at all.
    const [before, now] = [ended, [...last.values()]];
    return AggregatorRegistry.aggregate([await before, ...now]).metrics();
  }

  async function requestCounts(worker: Worker): Promise<void> {
    send(worker, { wantsCounts: true });
    await once(reports, `${worker.id}`, { signal: AbortSignal.timeout(TIMEOUT) });
  }
}

/** In a worker: counts on its own, and renders the metrics of all workers together. */
export function sharedMetrics(metrics: Metrics) {
  const { registry } = metrics;
  const answers = new EventEmitter().setMaxListeners(0);
  process.on('message', ({ wantsCounts, metrics: text }: ToWorker) => {
    if (wantsCounts) void report();
    if (text !== undefined) answers.emit('metrics', text);
  });
  const ask = sharedCall(async () => {
    process.send?.({ wantsMetrics: true } satisfies FromWorker);
    const [text] = (await once(answers, 'metrics')) as [string | null];
    return text;
  });
  return {
    ...metrics,
    /** Reports the worker's counts. Call it when the worker starts to serve, and at its end; in between it is asked. */
    report,
    async render() {
      const text = await ask();
      if (text === null) throw new ServiceError('UNAVAILABLE', 'Not all workers reported their metrics in time.');
      return { contentType: registry.contentType, text };
    },
  };

  async function report(): Promise<void> {
    const message: FromWorker = { counts: await registry.getMetricsAsJSON() };
    await new Promise((resolve) => process.send?.(message, undefined, undefined, resolve));
  }
}

/**
 * Resolves when the last message of a worker that has exited has been received, which may be after its exit. It polls,
 * because there is no `disconnect` event for a worker that was just being handed a connection.
 */
export async function lastMessage(worker: Worker): Promise<void> {
  while (worker.isConnected()) await sleep(POLL);
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
function send(worker: Worker, message: ToWorker): void {
  worker.send(message, () => {});
}
