import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, expect } from 'vitest';
import { type Service, startService } from '../support/service.ts';
import { environment } from './processes.ts';

/** The ids of a trace and of a span in it. */
export const TRACE = '0af7651916cd43dd8448eb211c80319c';
export const PARENT = 'b7ad6b7169203331';

export function newTrace(): string {
  return randomBytes(16).toString('hex');
}

/** Starts a service that sends its traces to the collector. */
export function startTraced(settings: Readonly<Record<string, string>>): Promise<Service> {
  const traced = { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_BSP_SCHEDULE_DELAY: '50' };
  return startService({ ...environment, ...traced, ...settings });
}

export interface SentSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly status: { readonly code?: number };
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
}

export const SERVER = 2;
export const CLIENT = 3;

let collector: Server;
export let endpoint: string;
export const resources: string[] = [];
export const spans: SentSpan[] = [];

/** Receives spans during the tests of a file. */
export function startCollector(): void {
  beforeAll(async () => {
    collector = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => {
        for (const { resource, scopeSpans } of JSON.parse(body).resourceSpans) {
          resources.push(JSON.stringify(resource));
          for (const scope of scopeSpans) spans.push(...scope.spans);
        }
        response.setHeader('content-type', 'application/json').end('{}');
      });
    }).listen(0, '127.0.0.1');
    await once(collector, 'listening');
    endpoint = `http://127.0.0.1:${(collector.address() as { port: number }).port}`;
  });
  afterAll(() => void collector?.close());
}

/** The spans of a trace, once there are so many. */
export async function spansOf(traceId: string, count: number): Promise<readonly SentSpan[]> {
  const found = () => spans.filter((span) => span.traceId === traceId);
  await expect.poll(() => found().length).toBeGreaterThanOrEqual(count);
  return found();
}

export function attributesOf({ attributes }: SentSpan): Readonly<Record<string, unknown>> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
