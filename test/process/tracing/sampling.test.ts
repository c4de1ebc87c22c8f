import { randomBytes } from 'node:crypto';
import { TraceFlags } from '@opentelemetry/api';
import { describe, expect, test } from 'vitest';
import { samplerFrom } from '../../../src/process/tracing/sampling.ts';

/** How many of 1,000 requests are recorded. */
function recorded(name: string | undefined, ratio: string | undefined, caller?: 'sampled' | 'not sampled'): number {
  const isSampled = samplerFrom({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: ratio });
  const traceFlags = caller === 'sampled' ? TraceFlags.SAMPLED : TraceFlags.NONE;
  const parent = () =>
    caller && { traceId: randomBytes(16).toString('hex'), spanId: randomBytes(8).toString('hex'), traceFlags };
  return Array.from({ length: 1_000 }, () => isSampled(parent())).filter(Boolean).length;
}

describe('a request that starts a trace is recorded', () => {
  test.each([
    ['always_on', undefined],
    ['parentbased_always_on', undefined],
    ['traceidratio', '1'],
    ['parentbased_traceidratio', '1'],
    [undefined, undefined],
    ['', undefined],
    // The SDK warns about these, and then uses its default.
    ['nonsense', undefined],
    ['traceidratio', undefined],
    ['traceidratio', ''],
    ['traceidratio', 'half'],
    ['traceidratio', '2'],
    ['traceidratio', '-1'],
  ])('always with the sampler %s (%s)', (name, ratio) => expect(recorded(name, ratio)).toBe(1_000));

  test.each([
    ['always_off', undefined],
    ['parentbased_always_off', undefined],
    [' always_off ', undefined],
    ['traceidratio', '0'],
    ['parentbased_traceidratio', '0'],
  ])('never with the sampler %s (%s)', (name, ratio) => expect(recorded(name, ratio)).toBe(0));

  test.each(['traceidratio', 'parentbased_traceidratio'])('with the probability of the sampler %s', (name) => {
    const share = recorded(name, '0.25');
    expect(share).toBeGreaterThan(150);
    expect(share).toBeLessThan(350);
  });
});

describe('a request with a caller is recorded', () => {
  test.each([
    ['parentbased_always_on', undefined],
    ['parentbased_always_off', undefined],
    ['parentbased_traceidratio', '0.5'],
    [undefined, undefined],
    ['nonsense', undefined],
  ])('as the caller is, with the sampler %s (%s)', (name, ratio) => {
    expect(recorded(name, ratio, 'sampled')).toBe(1_000);
    expect(recorded(name, ratio, 'not sampled')).toBe(0);
  });

  test.each([
    ['always_on', undefined, 1_000, 1_000],
    ['always_off', undefined, 0, 0],
    ['traceidratio', '0.25', 150, 350],
  ])('whatever the caller is, with the sampler %s (%s)', (name, ratio, least, most) => {
    for (const caller of ['sampled', 'not sampled'] as const) {
      const count = recorded(name, ratio, caller);
      expect(count).toBeGreaterThanOrEqual(least);
      expect(count).toBeLessThanOrEqual(most);
    }
  });
});
