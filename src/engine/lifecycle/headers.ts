import type { HeaderFields } from '../http/reply.ts';
import type { Annotated } from './annotated.ts';
import {
  type Annotations,
  type DeprecationAnnotation,
  type Level,
  levelOf,
  sinceInstant,
  sunsetInstant,
} from './annotation.ts';

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
export function lifecycleHeaders(annotations: Annotations, name: string, successor: string | undefined): HeaderFields {
  const { deprecation } = annotations;
  return [
    'api-stability',
    levelOf(annotations),
    ...(deprecation ? deprecationHeaders(deprecation, name, successor) : []),
  ];
}

/** The `Link` field of a deprecated operation (RFC 8288; relations of RFC 5829, RFC 9745 and RFC 8594). */
export function lifecycleLink({ page, successor }: LifecycleAddresses): string {
  // Some clients expect the relation right after the URL.
  return `<${successor}>; rel="successor-version", <${page}>; rel="deprecation"; type="text/html", <${page}>; rel="sunset"`;
}

const BY_SEVERITY: readonly Level[] = ['deprecated', 'experimental', 'beta'];

/**
 * The header fields of a response to a request that uses several annotated elements: the most severe level, and the
 * earliest sunset.
 *
 * @param addressesOf the URLs for the element with the earliest sunset
 */
export function headersForUses(
  uses: readonly Annotated[],
  addressesOf: (successor: string) => LifecycleAddresses,
): HeaderFields {
  const levels = new Set(uses.map(({ annotations }) => levelOf(annotations)));
  const level = BY_SEVERITY.find((candidate) => levels.has(candidate));
  if (level === undefined) return [];
  const sunsets = uses.flatMap(({ annotations: { deprecation } }) => deprecation?.sunset ?? []).sort();
  const first = uses.find(({ annotations: { deprecation } }) => deprecation && deprecation.sunset === sunsets[0]);
  const deprecation = first?.annotations.deprecation;
  if (first === undefined || deprecation === undefined) return ['api-stability', level];
  const successor = deprecation.successor.coordinate;
  return [
    'api-stability',
    level,
    ...deprecationHeaders(deprecation, first.coordinate, successor),
    'link',
    lifecycleLink(addressesOf(successor)),
  ];
}

function deprecationHeaders(
  deprecation: DeprecationAnnotation,
  name: string,
  successor = deprecation.successor.coordinate,
) {
  const { since, sunset } = deprecation;
  return [
    // RFC 9745: a date of RFC 9651, in seconds of Unix time.
    ...['deprecation', `@${sinceInstant(deprecation).getTime() / 1000}`],
    // RFC 8594: an HTTP-date.
    ...['sunset', sunsetInstant(deprecation).toUTCString()],
    ...['warning', `299 - "${name} is deprecated since ${since} and served until ${sunset}; use ${successor} instead"`],
  ];
}
