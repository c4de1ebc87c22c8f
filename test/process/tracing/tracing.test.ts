import { pino } from 'pino';
import { expect, test } from 'vitest';
import { tracingFrom } from '../../../src/process/tracing/tracing.ts';

test.each([
  {},
  { OTEL_SDK_DISABLED: 'True', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' },
  { OTEL_TRACES_EXPORTER: 'none', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' },
])('with %o, requests are not traced', async (environment) => {
  expect(await tracingFrom('shop', environment, pino({ level: 'silent' }))).toBeUndefined();
});
