import cluster from 'node:cluster';
import { AggregatorRegistry } from 'prom-client';
import { ServiceError } from '../errors.ts';
import type { Metrics } from '../metrics.ts';

/** What a worker asks for, and what it is answered. */
interface Question {
  readonly metricsOfAll: number;
}
interface Answer extends Question {
  /** Undefined where not all workers told theirs in time. */
  readonly text?: string;
}

/** In the process that started the workers: answers each that asks for the metrics of all. */
export function answerMetrics(): void {
  const registry = new AggregatorRegistry();
  cluster.on('message', async (worker, { metricsOfAll }: Partial<Question>) => {
    if (metricsOfAll === undefined) return;
    const text = await registry.clusterMetrics().catch(() => undefined);
    if (worker.isConnected()) worker.send({ metricsOfAll, text });
  });
}

/** In a worker: counts for itself, and renders the metrics of all workers together. */
export function sharedMetrics(metrics: Metrics): Metrics {
  AggregatorRegistry.setRegistries(metrics.registry);
  // Its making is what has the worker tell its own.
  const { contentType } = new AggregatorRegistry();
  const asked = new Map<number, (answer: Answer) => void>();
  let questions = 0;
  process.on('message', (answer: Answer) => asked.get(answer.metricsOfAll)?.(answer));
  return {
    ...metrics,
    async render() {
      const metricsOfAll = questions++;
      const answered = new Promise<Answer>((resolve) => asked.set(metricsOfAll, resolve));
      process.send?.({ metricsOfAll } satisfies Question);
      const { text } = await answered.finally(() => asked.delete(metricsOfAll));
      if (text === undefined) throw new ServiceError('UNAVAILABLE', 'Not every worker told its metrics in time.');
      return { contentType, text };
    },
  };
}
