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

/** Where the answers of a deprecated operation point. */
interface LifecycleAddresses {
  /** The page about deprecations and sunsets. */
  readonly page: string;
  /** What takes the operation's place. */
  readonly successor: string;
}

/**
 * The fields that every answer of a marked operation carries and that do not depend on the request.
 *
 * @param name what its clients call it, and `successor` what takes its place
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
  // Clients look for the relation right after the address.
  return `<${successor}>; rel="successor-version", <${page}>; rel="deprecation"; type="text/html", <${page}>; rel="sunset"`;
}

/** Of several marked things, the one whose sunset comes first; undefined when none is deprecated. */
function firstToGo(uses: readonly Annotated[]): DeprecationUse | undefined {
  const deprecations = uses.flatMap(({ coordinate, annotations: { deprecation } }) =>
    deprecation === undefined ? [] : [{ coordinate, deprecation }],
  );
  return deprecations.sort((one, other) => (one.deprecation.sunset < other.deprecation.sunset ? -1 : 1))[0];
}

interface DeprecationUse {
  readonly coordinate: string;
  readonly deprecation: DeprecationAnnotation;
}

const GRAVITY: readonly Level[] = ['deprecated', 'experimental', 'beta'];

/**
 * The fields for an answer that has to do with several marked things: the gravest level, and the earliest sunset.
 *
 * @param addressesOf where to point for the one that goes first
 */
export function headersForUses(
  uses: readonly Annotated[],
  addressesOf: (successor: string) => LifecycleAddresses,
): HeaderFields {
  const levels = new Set(uses.map(({ annotations }) => levelOf(annotations)));
  const level = GRAVITY.find((candidate) => levels.has(candidate));
  if (level === undefined) return [];
  const first = firstToGo(uses);
  if (first === undefined) return ['api-stability', level];
  const { coordinate, deprecation } = first;
  const successor = deprecation.successor.coordinate;
  return [
    'api-stability',
    level,
    ...deprecationHeaders(deprecation, coordinate, successor),
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
