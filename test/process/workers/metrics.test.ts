import cluster, { type Worker } from 'node:cluster';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createMetrics, type Metrics } from '../../../src/process/metrics.ts';
import { addUpMetrics, sharedMetrics } from '../../../src/process/workers/metrics.ts';

/** A worker as the primary process sees it. */
class Process {
  readonly id: number;
  readonly metrics: Metrics = createMetrics();
  /** Whether it answers when it is asked for its counts. */
  answers = true;
  isConnected = () => this.#isConnected;
  #isConnected = true;
  #received: (text: string | null) => void = () => {};

  constructor(id: number) {
    this.id = id;
  }

  async report(): Promise<void> {
    const counts = await this.metrics.registry.getMetricsAsJSON();
    cluster.emit('message', this as unknown as Worker, { counts });
  }

  send({ wantsCounts, metrics }: { wantsCounts?: true; metrics?: string | null }): void {
    if (wantsCounts && this.answers) void this.report();
    if (metrics !== undefined) this.#received(metrics);
  }

  /** The metrics that it gets from the primary process: those that begin with these words. */
  async ask(names: RegExp): Promise<readonly string[]> {
    const text = await new Promise<string | null>((resolve) => {
      this.#received = resolve;
      cluster.emit('message', this as unknown as Worker, { wantsMetrics: true });
    });
    return text?.split('\n').filter((line) => names.test(line)) ?? [];
  }

  exit(): void {
    cluster.emit('exit', this as unknown as Worker);
  }

  disconnect(): void {
    this.#isConnected = false;
  }
}

const EVENTS = /^events_/;
let one: Process;
let other: Process;
beforeEach(async () => {
  addUpMetrics();
  [one, other] = [new Process(1), new Process(2)];
  one.metrics.published(5, 40);
  other.metrics.published(2, 0.5);
  await Promise.all([one.report(), other.report()]);
});
afterEach(() => {
  vi.restoreAllMocks();
  cluster.removeAllListeners();
});

test('of a process that has ended, what it counted stays, and not what it last measured, such as how late events are', async () => {
  expect(await other.ask(EVENTS)).toEqual(['events_published_total 7', 'events_lag_seconds 40']);
  one.disconnect();
  one.exit();
  await expect.poll(() => other.ask(EVENTS)).toEqual(['events_published_total 7', 'events_lag_seconds 0.5']);
});

test('the last counts of a process may arrive after its exit', async () => {
  one.metrics.published(10, 0);
  one.exit();
  await one.report();
  one.disconnect();
  one.answers = false;
  await expect.poll(() => other.ask(EVENTS)).toEqual(['events_published_total 17', 'events_lag_seconds 0.5']);
});

test('a duration that a process has measured stays when it ends', async () => {
  one.metrics.request('rest', 'pets', 200, 0.1);
  await one.report();
  one.disconnect();
  one.exit();
  await expect
    .poll(() => other.ask(/^http_request_duration_seconds_count/))
    .toEqual(['http_request_duration_seconds_count{protocol="rest",operation="pets"} 1']);
});

test('of all processes together, the first hundred clients are named, and the others counted together', async () => {
  for (let n = 0; n < 60; n++) {
    one.metrics.use('Query.a', 'beta', `one-${n}`);
    other.metrics.use('Query.a', 'beta', `other-${n}`);
  }
  const counts = await other.ask(/^lifecycle_uses_total/);
  expect(counts).toHaveLength(101);
  expect(counts).toContain('lifecycle_uses_total{coordinate="Query.a",level="beta",client="(others)"} 20');
});

test('requests at the same time share one count of each process', async () => {
  const asked = vi.spyOn(one, 'send');
  for (let n = 0; n < 50; n++) cluster.emit('message', other as unknown as Worker, { wantsMetrics: true });
  expect(await other.ask(EVENTS)).toEqual(['events_published_total 7', 'events_lag_seconds 40']);
  expect(asked.mock.calls.filter(([{ wantsCounts }]) => wantsCounts)).toHaveLength(1);
});

test('a process that ends when it is asked delays no answer', async () => {
  one.answers = false;
  const asked = other.ask(EVENTS);
  one.disconnect();
  one.exit();
  expect(await asked).toEqual(['events_published_total 7', 'events_lag_seconds 0.5']);
});

test('while one process does not report in time, there are no metrics: those of the others would be too low', async () => {
  vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => AbortSignal.abort());
  one.answers = false;
  const messages: unknown[] = [];
  vi.spyOn(other, 'send').mockImplementation((message) => void messages.push(message));
  cluster.emit('message', other as unknown as Worker, { wantsMetrics: true });
  await expect.poll(() => messages).toContainEqual({ metrics: null });
});

test('a process that gets no metrics answers that it is unavailable', async () => {
  const before = process.listeners('message');
  const rendered = sharedMetrics(other.metrics).render();
  for (const receive of process.listeners('message').filter((listener) => !before.includes(listener))) {
    process.off('message', receive);
    receive({ metrics: null }, undefined);
  }
  await expect(rendered).rejects.toMatchObject({ code: 'UNAVAILABLE' });
});
