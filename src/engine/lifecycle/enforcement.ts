import { ServiceError } from '../errors.ts';
import type { RequestHeaders } from '../http/headers.ts';
import type { Annotated } from './annotated.ts';
import { type DeprecationAnnotation, isPastSunset, levelOf } from './annotation.ts';
import { clientOf } from './client.ts';

export type Clock = () => Date;

/** A rehearsal of a sunset: deprecated elements fail for some time. */
interface Brownout {
  /** The coordinate that fails; undefined for all deprecated elements. */
  readonly coordinate: string | undefined;
  readonly from: Date;
  /** Exclusive. */
  readonly until: Date;
}

export interface LifecycleRules {
  readonly clock: Clock;
  /** Whether the clock is not the real one: then nothing is counted, because the days would be wrong. */
  readonly isRehearsal: boolean;
  /** Whether elements past their sunset are rejected (`enforce`) or still served (`announce`). */
  readonly sunset: 'announce' | 'enforce';
  readonly brownouts: readonly Brownout[];
}

/** A protocol's names for annotated elements and their successors. */
export interface Labels {
  name(coordinate: string): string;
  successor(coordinate: string, deprecation: DeprecationAnnotation): string;
}

export const byCoordinate: Labels = {
  name: (coordinate) => coordinate,
  successor: (_, deprecation) => deprecation.successor.coordinate,
};

/**
 * Counts uses the first time, also rejected ones, because the client still depends on them. Throws GONE, BROWNOUT or
 * LIFECYCLE_STRICT; INVALID_ARGUMENT for a wrong `API-Lifecycle` field.
 */
export type EnforceLifecycle = (
  uses: readonly Annotated[],
  headers: RequestHeaders,
  labels: Labels,
  time?: 'again',
) => void;

/** Throws if a brownout names an element that is not deprecated, of all `annotated` ones. */
export function createLifecycleEnforcement(
  { clock, sunset, brownouts }: LifecycleRules,
  annotated: readonly Annotated[],
  count: (use: Annotated, client: string) => void,
): EnforceLifecycle {
  const deprecated = annotated.flatMap(({ coordinate, annotations }) =>
    annotations.deprecation === undefined ? [] : [coordinate],
  );
  const named = brownouts.flatMap(({ coordinate = [] }) => coordinate);
  const wrong = named.filter((coordinate) => !deprecated.includes(coordinate));
  if (wrong.length > 0)
    throw new Error(
      `BROWNOUTS names what is not deprecated: ${wrong.join(', ')}; the deprecated elements are: ${deprecated.join(', ') || 'none'}.`,
    );
  const servesAll = sunset === 'announce' && brownouts.length === 0;
  return (uses, headers, labels, time) => {
    const isStrict = wantsStrict(headers);
    if (uses.length === 0) return;
    const client = clientOf(headers);
    if (time !== 'again') for (const use of uses) count(use, client);
    if (!servesAll) assertAllServed(uses, clock(), labels);
    if (isStrict) assertStrict(uses, labels);
  };

  function assertAllServed(uses: readonly Annotated[], now: Date, labels: Labels): void {
    // First, because a client that gets GONE has nothing to wait for.
    if (sunset === 'enforce') for (const use of uses) assertServed(use, now, labels);
    for (const use of uses) assertNoBrownout(use, now, labels);
  }

  function assertNoBrownout({ coordinate, annotations: { deprecation } }: Annotated, now: Date, labels: Labels): void {
    if (deprecation === undefined || isPastSunset(deprecation, now)) return;
    let until = now;
    const next = ({ coordinate: only = coordinate, ...one }: Brownout) =>
      only === coordinate && one.from <= until && until < one.until;
    // One may begin before another has ended.
    for (let one = brownouts.find(next); one !== undefined; one = brownouts.find(next)) until = one.until;
    if (until === now) return;
    const ends = until.toISOString().replace('.000Z', 'Z');
    throw new ServiceError(
      'BROWNOUT',
      `${labels.name(coordinate)} fails on purpose until ${ends}, to rehearse its sunset on ${deprecation.sunset}; ` +
        `use ${labels.successor(coordinate, deprecation)} instead.`,
      { headers: { 'retry-after': String(Math.ceil((until.getTime() - now.getTime()) / 1000)) } },
    );
  }
}

/** Whether the request excludes deprecated and experimental elements. */
function wantsStrict(headers: RequestHeaders): boolean {
  const value = headers.get('api-lifecycle');
  if (value === null || value === 'strict') return value !== null;
  throw new ServiceError('INVALID_ARGUMENT', 'The API-Lifecycle field must be strict.');
}

function assertServed({ coordinate, annotations: { deprecation } }: Annotated, now: Date, labels: Labels): void {
  if (deprecation === undefined || !isPastSunset(deprecation, now)) return;
  throw new ServiceError(
    'GONE',
    `${labels.name(coordinate)} was served until ${deprecation.sunset}; use ${labels.successor(coordinate, deprecation)} instead.`,
  );
}

/** Accepts beta elements, because their changes are announced. */
function assertStrict(uses: readonly Annotated[], labels: Labels): void {
  const excluded = uses.flatMap(({ coordinate, annotations }) => {
    const level = levelOf(annotations);
    if (level === 'beta') return [];
    const { deprecation } = annotations;
    const instead =
      deprecation === undefined
        ? ''
        : ` and served until ${deprecation.sunset}; use ${labels.successor(coordinate, deprecation)} instead`;
    return `${labels.name(coordinate)} is ${level}${instead}.`;
  });
  if (excluded.length === 0) return;
  const them = excluded.length === 1 ? 'it' : 'them';
  const message = `${excluded.join(' ')} The request excludes ${them} with API-Lifecycle: strict.`;
  throw new ServiceError('LIFECYCLE_STRICT', message);
}
