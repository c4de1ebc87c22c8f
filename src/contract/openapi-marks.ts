import type { Annotated, Operation } from './openapi-document.ts';
import type { Annotation } from './standing.ts';

const OF_STABILITY = ['API-Stability', 'API-Client', 'API-Lifecycle'];
const OF_DEPRECATION = [...OF_STABILITY, 'Deprecation', 'Sunset', 'Warning', 'Link'];

/** The mark on an operation, a parameter or a property. */
export function annotationIn(annotated: Annotated): Annotation {
  const {
    'x-stability': stability,
    deprecated,
    'x-deprecated-since': since,
    'x-deprecated-sunset': sunset,
  } = annotated;
  return { stability, ...((deprecated || sunset !== undefined) && { deprecation: { since, sunset } }) };
}

/** Whether a header of requests or answers comes with the mark of an operation, and so may go with it. */
export function comesWithAnnotation(header: string, operation: Operation): boolean {
  const { stability, deprecation } = annotationIn(operation);
  if (deprecation !== undefined) return OF_DEPRECATION.includes(header);
  return stability !== undefined && OF_STABILITY.includes(header);
}
