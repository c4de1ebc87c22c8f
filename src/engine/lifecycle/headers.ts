import type { HeaderFields } from '../http/reply.ts';
import { type Annotations, levelOf, sinceInstant, sunsetInstant } from './annotation.ts';

/** The path of the page about deprecations and sunsets, and of the operation that returns the same as JSON. */
export const LIFECYCLE_PAGE = '/lifecycle';

/** The header fields that do not depend on the request; `name` and `successor` are for the operation's clients. */
export function lifecycleHeaders(
  annotations: Annotations,
  name: string,
  successor = annotations.deprecation?.successor.coordinate,
): HeaderFields {
  const stability = ['api-stability', levelOf(annotations)];
  const { deprecation } = annotations;
  if (deprecation === undefined) return stability;
  const { since, sunset } = deprecation;
  return [
    ...stability,
    // RFC 9745: a date of RFC 9651, in seconds of Unix time.
    ...['deprecation', `@${sinceInstant(deprecation).getTime() / 1000}`],
    // RFC 8594: an HTTP-date.
    ...['sunset', sunsetInstant(deprecation).toUTCString()],
    ...['warning', `299 - "${name} is deprecated since ${since} and served until ${sunset}; use ${successor} instead"`],
  ];
}

/** The `Link` field (RFC 8288; relations of RFC 5829, RFC 9745 and RFC 8594), from URLs. */
export function lifecycleLink(page: string, successor: string): string {
  // Some clients expect the relation right after the URL.
  return `<${successor}>; rel="successor-version", <${page}>; rel="deprecation"; type="text/html", <${page}>; rel="sunset"`;
}
