import { ROOT_CONTEXT, type SpanContext, TraceFlags } from '@opentelemetry/api';
import { SamplingDecision, TraceIdRatioBasedSampler } from '@opentelemetry/sdk-trace-base';

/** Decides whether a request is recorded. The parent is the span of its caller; undefined if it starts a trace. */
type Sampler = (parent: SpanContext | undefined) => boolean;

const SAMPLER = /^(parentbased_)?(always_on|always_off|traceidratio)$/;

/**
 * The sampler that the standard variables name. The SDK's needs a trace id first; most requests that start a trace are
 * not recorded, and an id for each takes a microsecond. The SDK warns about invalid variables.
 *
 * @see https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/#general-sdk-configuration
 */
export function samplerFrom({ OTEL_TRACES_SAMPLER = '', OTEL_TRACES_SAMPLER_ARG }: NodeJS.Dict<string>): Sampler {
  const [, basis, kind] = SAMPLER.exec(OTEL_TRACES_SAMPLER.trim()) ?? [undefined, 'parentbased_'];
  const ratio = kind === 'traceidratio' ? ratioFrom(OTEL_TRACES_SAMPLER_ARG) : kind === 'always_off' ? 0 : 1;
  const byId = new TraceIdRatioBasedSampler(ratio);
  return (parent) => {
    if (parent === undefined) return Math.random() < ratio;
    if (basis !== undefined) return (parent.traceFlags & TraceFlags.SAMPLED) !== 0;
    return byId.shouldSample(ROOT_CONTEXT, parent.traceId).decision === SamplingDecision.RECORD_AND_SAMPLED;
  };
}

function ratioFrom(text = ''): number {
  const ratio = Number(text);
  return text.trim() !== '' && ratio >= 0 ? ratio : 1;
}
