import type { ErrorCode } from '../errors.ts';
import { type Annotations, levelOf } from '../lifecycle/annotation.ts';

/** An operation, or the name of a parameter. */
type SuccessorInRest = Readonly<Partial<Record<'operationId' | 'operation' | 'name', string>>>;

/** Further extensions for a stability that tools read. Scalar has only one value for everything that is not stable. */
const ALIASES = {
  beta: { 'x-stability-level': 'beta', 'x-scalar-stability': 'experimental' },
  experimental: { 'x-stability-level': 'alpha', 'x-scalar-stability': 'experimental' },
} as const;

/** Light colours, because the text on them is black. */
const BADGE_COLORS = { beta: '#bfdbfe', experimental: '#fde68a' } as const;

/**
 * The OpenAPI extensions of an annotated operation, parameter or property, under the names that common tools read.
 *
 * @param inRest the names of the successor in REST
 */
export function annotationExtensions(annotations: Annotations | undefined, inRest: SuccessorInRest = {}) {
  if (annotations === undefined) return {};
  const { stability, deprecation } = annotations;
  return {
    ...(deprecation !== undefined && {
      deprecated: true,
      'x-deprecated-since': deprecation.since,
      'x-deprecated-sunset': deprecation.sunset,
      'x-sunset': deprecation.sunset,
      'x-deprecated-reason': deprecation.why,
      'x-successor': { coordinate: deprecation.successor.coordinate, ...inRest },
    }),
    ...(stability !== 'stable' && {
      'x-stability': stability,
      ...ALIASES[stability],
      'x-badges': [{ name: stability, color: BADGE_COLORS[stability] }],
    }),
  };
}

/** What an operation has because of its annotations: request header fields, header fields of every response, errors. */
export function additionsOf(annotations: Annotations | undefined): {
  readonly parameters: readonly string[];
  readonly headers: readonly string[];
  readonly errors: readonly ErrorCode[];
} {
  if (annotations === undefined) return { parameters: [], headers: [], errors: [] };
  if (levelOf(annotations) === 'beta') return { parameters: ['API-Client'], headers: ['API-Stability'], errors: [] };
  const parameters = ['API-Client', 'API-Lifecycle'];
  return annotations.deprecation === undefined
    ? { parameters, headers: ['API-Stability'], errors: ['LIFECYCLE_STRICT'] }
    : {
        parameters,
        headers: ['API-Stability', 'Deprecation', 'Sunset', 'Warning', 'Link'],
        errors: ['LIFECYCLE_STRICT', 'GONE', 'BROWNOUT'],
      };
}
