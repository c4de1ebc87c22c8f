import { describe, expect, test } from 'vitest';
import { attributesOf, newTrace, PARENT, SERVER, spans, startCollector, startTraced, TRACE } from './collector.ts';
import { makeDatabase } from './processes.ts';

startCollector();
makeDatabase();

describe('with an OTLP endpoint', () => {
  test('the sampler records its share of the requests', async () => {
    const traced = await startTraced({ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.5' });
    const answered: (string | null)[] = [];
    for (let n = 0; n < 100; n++) {
      const response = await fetch(`${traced.base}/pets/1`);
      await response.text();
      answered.push(response.headers.get('traceparent'));
    }
    await traced.stop();
    const ids = answered.filter((one) => one !== null).map((one) => one.split('-')[1]);
    expect(ids.length).toBeGreaterThan(15);
    expect(ids.length).toBeLessThan(85);
    const recorded = spans.filter(({ kind, traceId }) => kind === SERVER && ids.includes(traceId));
    expect(new Set(recorded.map(({ traceId }) => traceId))).toEqual(new Set(ids));
  });

  test('the sampler records its share of the requests with an invalid traceparent, too', async () => {
    const sampler = { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' };
    const traced = await startTraced(sampler);
    for (const traceparent of ['nonsense', '', `00-${'0'.repeat(32)}-${PARENT}-01`, `ff-${TRACE}-${PARENT}-01`]) {
      const response = await fetch(`${traced.base}/pets/1`, { headers: { traceparent } });
      await response.text();
      expect(response.headers.get('traceparent'), traceparent).toBeNull();
    }
    await traced.stop();
  });

  test('a request that the service cannot answer is an error in the trace, with its code; one for a missing row is not', async () => {
    const traced = await startTraced({ MAX_REQUESTS: '1', OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' });
    const traceId = newTrace();
    const headers = { traceparent: `00-${traceId}-${PARENT}-01` };
    const ask = async (path: string) => (await fetch(traced.base + path, { headers })).text();
    await Promise.all(Array.from({ length: 30 }, () => ask('/pets')));
    await ask('/pets/0');
    await traced.stop();
    const requests = spans.filter((span) => span.traceId === traceId && span.kind === SERVER);
    const outcomes = requests.map((span) => {
      const { 'http.response.status_code': status, 'error.type': type } = attributesOf(span);
      return `${status} ${type} ${span.status.code ?? 0}`;
    });
    // By OTLP, 2 is an error.
    expect(new Set(outcomes)).toEqual(new Set(['200 undefined 0', '503 UNAVAILABLE 2', '404 undefined 0']));
  });

  test('pending spans are sent when the service stops, with a warning of each name without effect', async () => {
    const traced = await startTraced({
      OTEL_TRACES_EXPORTER: 'zipkin, otlp',
      OTEL_PROPAGATORS: 'tracecontext,b3',
      OTEL_EXPORTER_OTLP_TIMEOUT: 'long',
      OTEL_BSP_SCHEDULE_DELAY: '60000',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      // It takes precedence.
      OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'grpc',
    });
    const traceId = TRACE.replace('0af7', 'ffff');
    await (await fetch(`${traced.base}/pets/1`, { headers: { traceparent: `00-${traceId}-${PARENT}-01` } })).text();
    expect(spans.filter((span) => span.traceId === traceId)).toEqual([]);
    await traced.stop();
    expect(spans.filter((span) => span.traceId === traceId).length).toBeGreaterThan(1);
    const warnings = [
      '"OTEL_TRACES_EXPORTER":["zipkin"],"msg":"OTEL_TRACES_EXPORTER has an effect with otlp and none only"',
      '"OTEL_PROPAGATORS":["b3"],"msg":"OTEL_PROPAGATORS has an effect with tracecontext and baggage only"',
      'traces are sent as http/json',
      // By the SDK, in its own thread.
      '"msg":"OpenTelemetry has a problem"',
    ];
    expect(warnings.filter((warning) => !traced.output().includes(warning))).toEqual([]);
  });
});
