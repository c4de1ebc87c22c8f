import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Attributes, SpanContext, SpanKind } from '@opentelemetry/api';

export interface EndedSpan {
  readonly name: string;
  readonly kind: SpanKind;
  readonly context: SpanContext;
  readonly parent: SpanContext | undefined;
  /** What the caller's tracing systems have passed on, as text: an object of the SDK could not be sent to its thread. */
  readonly traceState?: string | undefined;
  readonly links: readonly SpanContext[];
  readonly attributes: Attributes;
  /** When it started and ended, as times of `performance.now`. */
  readonly start: number;
  readonly end: number;
  /** The name of the error if it failed. */
  readonly failure: string | undefined;
}

/** What the exporter gets: spans, or the request to end after them. It answers that it has taken them, or warns. */
export type ToExporter = { readonly spans: readonly EndedSpan[]; readonly origin: number } | 'end';
export type FromExporter = 'taken' | { readonly warning: string };

/** How long a span waits for others, in milliseconds. */
const PAUSE = 100;
/** How many spans wait at most; further ones are dropped. As many as wait in the SDK by default. */
const MAX_WAITING = 2_048;

/**
 * Hands ended spans to the exporter, many at once. The exporter has a thread of its own: in this one, the SDK and its
 * HTTP client take more processor time than the requests that are recorded, and delay the others.
 */
export class SpanQueue {
  readonly #exporter: Worker;
  readonly #ended: Promise<unknown>;
  readonly #warn: (message: string) => void;
  #hasDropped = false;
  #waiting: EndedSpan[] = [];
  #isTaking = false;
  #timer: NodeJS.Timeout | undefined;

  /** The exporter reads its configuration from the environment, in which `OTEL_SERVICE_NAME` overrides `name`. */
  constructor(name: string, environment: NodeJS.Dict<string>, warn: (message: string) => void) {
    const file = new URL(`./exporter${extname(import.meta.url)}`, import.meta.url);
    this.#exporter = new Worker(file, { workerData: name, env: environment });
    this.#warn = warn;
    this.#ended = new Promise((resolve) => this.#exporter.once('exit', resolve));
    this.#exporter.on('error', (error) => warn(`No more traces are sent: ${error}`));
    this.#exporter.on('message', (message: FromExporter) => {
      if (message === 'taken') this.#taken();
      else warn(message.warning);
    });
    this.#exporter.unref();
  }

  push(span: EndedSpan): void {
    if (this.#waiting.length >= MAX_WAITING) {
      this.#hasDropped = true;
      return;
    }
    this.#waiting.push(span);
    if (!this.#isTaking) this.#timer ??= setTimeout(() => this.#send(), PAUSE).unref();
  }

  /** Resolves when all spans are sent, or can't be. */
  async shutdown(): Promise<void> {
    clearTimeout(this.#timer);
    this.#exporter.ref();
    this.#send();
    this.#exporter.postMessage('end' satisfies ToExporter);
    await this.#ended;
  }

  #taken(): void {
    if (this.#hasDropped) this.#warn('Spans were dropped, because they ended faster than they are sent.');
    this.#hasDropped = false;
    this.#isTaking = false;
    if (this.#waiting.length > 0) this.#send();
  }

  #send(): void {
    this.#timer = undefined;
    this.#isTaking = true;
    // Computed each time, because the system's clock may have been set since the process started.
    const origin = Date.now() - performance.now();
    this.#exporter.postMessage({ spans: this.#waiting, origin } satisfies ToExporter);
    this.#waiting = [];
  }
}
