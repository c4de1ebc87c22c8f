import type { Annotations } from '../lifecycle/annotation.ts';
import type { DescribedSuccessor } from '../rest/successor.ts';

/** What else tools call a stability. Scalar has one word for all that is not stable. */
const ALIASES = {
  beta: { 'x-stability-level': 'beta', 'x-scalar-stability': 'experimental' },
  experimental: { 'x-stability-level': 'alpha', 'x-scalar-stability': 'experimental' },
} as const;

/** Pale, for words in black stand on them. */
const BADGE_COLORS = { beta: '#bfdbfe', experimental: '#fde68a' } as const;

/**
 * What OpenAPI says of a marked operation, parameter or property, in the words of the tools that read such documents.
 */
export function annotationExtensions(
  { stability, deprecation }: Annotations,
  successor?: DescribedSuccessor,
): Readonly<Record<string, unknown>> {
  return {
    ...(deprecation !== undefined && {
      deprecated: true,
      'x-deprecated-since': deprecation.since,
      'x-deprecated-sunset': deprecation.sunset,
      'x-sunset': deprecation.sunset,
      'x-successor': successor ?? { coordinate: deprecation.successor.coordinate },
    }),
    ...(stability !== 'stable' && {
      'x-stability': stability,
      ...ALIASES[stability],
      'x-badges': [{ name: stability, color: BADGE_COLORS[stability] }],
    }),
  };
}
