import type { Logger } from 'pino';
import type { Tracing } from '../../engine/tracing/span.ts';

/** The protocol of the SDK's OTLP exporter. */
const PROTOCOL = 'http/json';

/**
 * Tracing as the standard `OTEL_*` variables configure it; undefined unless they set an OTLP endpoint or the exporter
 * `otlp`. Its modules are imported only if it is used. `OTEL_SERVICE_NAME` overrides `name`.
 *
 * @see https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
 */
export async function tracingFrom(
  name: string,
  environment: NodeJS.Dict<string>,
  logger: Logger,
): Promise<Tracing | undefined> {
  const { OTEL_SDK_DISABLED, OTEL_TRACES_EXPORTER, OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT } =
    environment;
  if (OTEL_SDK_DISABLED?.toLowerCase() === 'true' || OTEL_TRACES_EXPORTER === 'none') return undefined;
  const isEnabled =
    OTEL_EXPORTER_OTLP_ENDPOINT || OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || OTEL_TRACES_EXPORTER === 'otlp';
  if (!isEnabled) return undefined;
  const protocol = environment.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL || environment.OTEL_EXPORTER_OTLP_PROTOCOL;
  if (protocol && protocol !== PROTOCOL)
    logger.warn({ protocol }, `traces are sent as ${PROTOCOL}, the only protocol here`);
  const { createOpenTelemetry } = await import('./open-telemetry.ts');
  return createOpenTelemetry(name, environment, logger);
}
