import type { Annotations } from '../lifecycle/annotation.ts';
import type { DescribedSuccessor } from '../rest/successor.ts';

/** Further extensions for a stability that tools read. Scalar has only one value for everything that is not stable. */
const ALIASES = {
  beta: { 'x-stability-level': 'beta', 'x-scalar-stability': 'experimental' },
  experimental: { 'x-stability-level': 'alpha', 'x-scalar-stability': 'experimental' },
} as const;

/** Light colours, because the text on them is black. */
const BADGE_COLORS = { beta: '#bfdbfe', experimental: '#fde68a' } as const;

/** The OpenAPI extensions of an annotated operation, parameter or property, under the names that common tools read. */
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
