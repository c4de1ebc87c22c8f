import { parentPort, workerData } from 'node:worker_threads';
import { DiagLogLevel, diag, ROOT_CONTEXT, type SpanContext, SpanStatusCode, trace } from '@opentelemetry/api';
import { TraceState } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { AlwaysOnSampler, BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { EndedSpan, FromExporter, ToExporter } from './span-queue.ts';

// The thread that makes the SDK's spans of those that the service has recorded, and sends them.

const name: string = workerData;
/** The span that the SDK is making. */
let making: SpanContext | undefined;

const warn = (warning: string) => post({ warning });
const ignore = () => {};
diag.setLogger({ error: warn, warn, info: ignore, debug: ignore, verbose: ignore }, DiagLogLevel.WARN);
const provider = new BasicTracerProvider({
  resource: defaultResource()
    .merge(resourceFromAttributes({ 'service.name': name }))
    .merge(detectResources({ detectors: [envDetector] })),
  spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  // They are sampled, and have ids already.
  sampler: new AlwaysOnSampler(),
  idGenerator: {
    generateTraceId: () => making?.traceId ?? '',
    generateSpanId: () => making?.spanId ?? '',
  },
});
const tracer = provider.getTracer(name);

parentPort?.on('message', async (message: ToExporter) => {
  if (message === 'end') {
    await provider.shutdown();
    parentPort?.close();
  } else {
    for (const span of message.spans) make(span, message.origin);
    post('taken');
  }
});

function make({ context, parent, traceState, links, failure, start, end, ...span }: EndedSpan, origin: number): void {
  making = context;
  const inherited = traceState !== undefined && { traceState: new TraceState(traceState) };
  const made = tracer.startSpan(
    span.name,
    { ...span, links: links.map((link) => ({ context: link })), startTime: origin + start },
    parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, { ...parent, ...inherited }),
  );
  if (failure !== undefined) made.setAttribute('error.type', failure).setStatus({ code: SpanStatusCode.ERROR });
  made.end(origin + end);
}

function post(message: FromExporter): void {
  parentPort?.postMessage(message);
}
