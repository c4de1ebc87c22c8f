import type { ErrorCode } from '../errors.ts';
import { type Annotations, levelOf } from '../lifecycle/annotation.ts';
import type { JsonSchema } from './schemas.ts';

/**
 * The request header fields by which a client takes part in the lifecycle of what it uses. They have no examples, for a
 * reference that offers trials would send them.
 */
export const LIFECYCLE_PARAMETERS = {
  'API-Client': {
    name: 'API-Client',
    in: 'header',
    required: false,
    description:
      'The name of the client, such as `shop-app`. Uses of deprecated, beta and experimental operations are counted by it.',
    schema: { type: 'string' },
  },
  'API-Lifecycle': {
    name: 'API-Lifecycle',
    in: 'header',
    required: false,
    description:
      '`strict` rejects operations that use something deprecated or experimental. It is meant for tests of a client.',
    schema: { type: 'string', enum: ['strict'] },
  },
} as const;

/** The request header fields that a marked operation describes. */
export function annotationParameters(annotations: Annotations | undefined): JsonSchema[] {
  if (annotations === undefined) return [];
  const names = isRejectable(annotations) ? ['API-Client', 'API-Lifecycle'] : ['API-Client'];
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
}

/** The header fields that every answer of a marked operation carries. */
export function annotationHeaders(annotations: Annotations | undefined): string[] {
  if (annotations === undefined) return [];
  return annotations.deprecation === undefined
    ? ['API-Stability']
    : ['API-Stability', 'Deprecation', 'Sunset', 'Warning', 'Link'];
}

/** The failures that a marked operation can answer with for its marks. */
export function annotationFailures(annotations: Annotations | undefined): ErrorCode[] {
  if (annotations === undefined) return [];
  return [
    ...(isRejectable(annotations) ? (['LIFECYCLE_STRICT'] as const) : []),
    ...(annotations.deprecation === undefined ? [] : (['GONE', 'BROWNOUT'] as const)),
  ];
}

function isRejectable(annotations: Annotations): boolean {
  return levelOf(annotations) !== 'beta';
}
