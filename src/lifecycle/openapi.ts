import type { Mark } from './mark.ts';

/** What OpenAPI says of a marked operation, in the words of the tools that read such documents. */
export function markExtensions(mark: Mark): Readonly<Record<string, unknown>> {
  if (mark.level === 'deprecated') {
    return { deprecated: true, 'x-deprecated-sunset': mark.sunset, 'x-sunset': mark.sunset };
  }
  return { 'x-stability': mark.level };
}
