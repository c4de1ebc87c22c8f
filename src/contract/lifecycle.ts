import type { Stability } from '../engine/lifecycle/annotation.ts';
import type { Change } from './change.ts';

export interface Element {
  /** `Query.pet`, `Query.pets(sort:)`, `GET /pets`, `GET /pets (query sort)`, `Pet.status`. */
  readonly coordinate: string;
  /** What the description says beside the element. */
  readonly annotation?: Partial<Lifecycle> | undefined;
  /** Whether it is a type: elements share it, and it may contain itself. */
  readonly isType?: boolean;
  readonly children?: () => readonly Element[];
}

export interface Lifecycle {
  readonly stability: Stability;
  /** The days are in UTC, such as `2026-07-01`. A deprecation in an old schema may lack them. */
  readonly deprecation?: { readonly since?: string | undefined; readonly sunset?: string | undefined } | undefined;
}

/** By coordinate, with the annotation of the element itself. */
export type Lifecycles = ReadonlyMap<string, Lifecycle & { readonly own: Partial<Lifecycle> }>;

/**
 * The lifecycles of all elements that clients can reach from the root. An element inherits what it isn't annotated
 * with; a type has the strongest lifecycle of the elements that use it.
 */
export function lifecyclesOf(root: Element): Lifecycles {
  const lifecycles = new Map<string, Lifecycle & { own: Partial<Lifecycle> }>();
  visit(root, { stability: 'stable' });
  return lifecycles;

  function visit({ coordinate, annotation: own = {}, isType, children }: Element, parent: Lifecycle): void {
    const inherited = own.stability === undefined ? parent.deprecation : undefined;
    const lifecycle = { stability: own.stability ?? parent.stability, deprecation: own.deprecation ?? inherited };
    const known = lifecycles.get(coordinate);
    const isStronger = known === undefined || strength(lifecycle) > strength(known);
    if (isStronger) lifecycles.set(coordinate, { ...lifecycle, own });
    if (isType && !isStronger) return;
    for (const child of children?.() ?? []) visit(child, lifecycle);
  }
}

/** What annotations take back: elements that become less stable, or that are removed sooner than announced. */
export function lifecycleChanges(base: Lifecycles, head: Lifecycles): Change[] {
  return [...base].flatMap(([coordinate, was]) => {
    const { own, stability = 'stable' } = head.get(coordinate) ?? {};
    if (own === undefined) return [];
    const changes: Change[] = [];
    // The children of an annotated element inherit from it: that is one change, reported once.
    const isAnnotated = was.own.stability !== own.stability;
    if (isAnnotated && RANKS.indexOf(stability) < RANKS.indexOf(was.stability)) {
      changes.push({ kind: 'break', coordinate, what: `It was ${was.stability}, and is ${stability} now.` });
    }
    const { since = '', sunset } = own.deprecation ?? {};
    const { since: oldSince = since, sunset: oldSunset } = was.deprecation ?? {};
    if (sunset !== undefined && (oldSunset === undefined || sunset < oldSunset || since > oldSince)) {
      const before = oldSunset === undefined ? 'no sunset was announced' : `from ${oldSince} to ${oldSunset}`;
      const what = `It is deprecated from ${since} to ${sunset}; before, ${before}.`;
      changes.push({ kind: 'notice', coordinate, sunset, what });
    }
    return changes;
  });
}

const RANKS: readonly Stability[] = ['experimental', 'beta', 'stable'];

/** Orders lifecycles by the last day that they promise, then by stability. */
function strength({ stability, deprecation }: Lifecycle): string {
  const rank = RANKS.indexOf(stability);
  if (deprecation?.sunset !== undefined) return `${deprecation.sunset} ${rank}`;
  return stability === 'experimental' ? `0 ${rank}` : `9999-99-99 ${rank}`;
}
