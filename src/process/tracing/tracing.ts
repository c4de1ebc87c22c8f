import type { Logger } from 'pino';
import type { Tracing } from '../../engine/tracing/span.ts';

/** The protocol of the SDK's OTLP exporter. */
const PROTOCOL = 'http/json';
/** What has an effect, of variables with lists of names. The specification wants a warning for other names. */
const SUPPORTED = { OTEL_TRACES_EXPORTER: ['otlp', 'none'], OTEL_PROPAGATORS: ['tracecontext', 'baggage'] };

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
  for (const [variable, supported] of Object.entries(SUPPORTED)) {
    const others = namesIn(environment[variable]).filter((one) => !supported.includes(one));
    if (others.length > 0)
      logger.warn({ [variable]: others }, `${variable} has an effect with ${supported.join(' and ')} only`);
  }
  const isEnabled =
    OTEL_EXPORTER_OTLP_ENDPOINT || OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || namesIn(OTEL_TRACES_EXPORTER).includes('otlp');
  if (!isEnabled) return undefined;
  const protocol = environment.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL || environment.OTEL_EXPORTER_OTLP_PROTOCOL;
  if (protocol && protocol !== PROTOCOL)
    logger.warn({ protocol }, `traces are sent as ${PROTOCOL}, the only protocol here`);
  const { createOpenTelemetry } = await import('./open-telemetry.ts');
  return createOpenTelemetry(name, environment, logger);
}

function namesIn(list = ''): readonly string[] {
  return list.split(',').flatMap((name) => name.trim() || []);
}
