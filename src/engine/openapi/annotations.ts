import type { ErrorCode } from '../errors.ts';
import { type Annotations, levelOf } from '../lifecycle/annotation.ts';
import type { JsonSchema } from './schemas.ts';

/**
 * The request header fields of the lifecycle. They have no examples, because "Try it out" in a reference would send
 * them.
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

/** The lifecycle request header fields of an operation. */
export function annotationParameters(annotations: Annotations | undefined): JsonSchema[] {
  if (annotations === undefined) return [];
  const names = isRejectable(annotations) ? ['API-Client', 'API-Lifecycle'] : ['API-Client'];
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
}

/** The lifecycle header fields of every response of an operation. */
export function annotationHeaders(annotations: Annotations | undefined): string[] {
  if (annotations === undefined) return [];
  return annotations.deprecation === undefined
    ? ['API-Stability']
    : ['API-Stability', 'Deprecation', 'Sunset', 'Warning', 'Link'];
}

/** The errors that an operation can return because of its annotations. */
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
