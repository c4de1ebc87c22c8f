import type { Logger } from 'pino';
import type { Tracing } from '../../engine/tracing/span.ts';

/**
 * Tracing as the standard `OTEL_*` variables configure it; undefined, and nothing of it loaded, unless they name an OTLP
 * endpoint or ask for the exporter `otlp`.
 *
 * @see https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
 */
export async function tracingFrom(environment: NodeJS.Dict<string>, logger: Logger): Promise<Tracing | undefined> {
  const { OTEL_SDK_DISABLED, OTEL_TRACES_EXPORTER, OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT } =
    environment;
  if (OTEL_SDK_DISABLED === 'true' || OTEL_TRACES_EXPORTER === 'none') return undefined;
  const isAsked = OTEL_EXPORTER_OTLP_ENDPOINT || OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || OTEL_TRACES_EXPORTER === 'otlp';
  if (!isAsked) return undefined;
  const { createOpenTelemetry } = await import('./open-telemetry.ts');
  return createOpenTelemetry(environment, logger);
}
