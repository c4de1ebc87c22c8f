import type { HeaderFields } from '../http/reply.ts';
import type { Annotated } from './annotated.ts';
import { type Annotations, levelOf, sinceInstant, sunsetInstant } from './annotation.ts';

interface LifecycleAddresses {
  /** That of the page about deprecations and sunsets. */
  readonly page: string;
  readonly successor: string;
}

/**
 * The header fields in every response of an annotated operation that do not depend on the request.
 *
 * @param name the operation's name for its clients, and `successor` the replacement's
 */
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

/** The `Link` field of a deprecated operation (RFC 8288; relations of RFC 5829, RFC 9745 and RFC 8594). */
export function lifecycleLink({ page, successor }: LifecycleAddresses): string {
  // Some clients expect the relation right after the URL.
  return `<${successor}>; rel="successor-version", <${page}>; rel="deprecation"; type="text/html", <${page}>; rel="sunset"`;
}

/**
 * The header fields of a response to a request that uses several annotated elements: those of the most severe one.
 *
 * @param addressesOf the URLs if that is deprecated
 */
export function headersForUses(
  uses: readonly Annotated[],
  addressesOf: (successor: string) => LifecycleAddresses,
): HeaderFields {
  const [first, ...others] = uses;
  if (first === undefined) return [];
  const most = others.reduce((one, other) => (severity(other) < severity(one) ? other : one), first);
  const headers = lifecycleHeaders(most.annotations, most.coordinate);
  const { deprecation } = most.annotations;
  if (deprecation === undefined) return headers;
  return [...headers, 'link', lifecycleLink(addressesOf(deprecation.successor.coordinate))];
}

/** Sorts deprecated elements first, by their sunset; then experimental ones. */
function severity({ annotations: { deprecation, stability } }: Annotated): string {
  return deprecation?.sunset ?? (stability === 'experimental' ? '~' : '~~');
}
