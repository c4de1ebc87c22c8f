import { addDays, type Stability } from '../engine/lifecycle/annotation.ts';

/** What a description says beside one thing: nothing, a stability, a deprecation or both. */
export interface Annotation {
  readonly stability?: Exclude<Stability, 'stable'> | undefined;
  readonly deprecation?: Deprecation | undefined;
}

export interface Deprecation {
  /** The days are as `2026-07-01`, in UTC. */
  readonly since?: string | undefined;
  /** The last day on which it is served; absent where a deprecation came without a date. */
  readonly sunset?: string | undefined;
}

/** How far clients may rely on a thing. */
export interface Standing {
  readonly stability: Stability;
  readonly deprecation?: Deprecation | undefined;
}

export const STABLE: Standing = { stability: 'stable' };

const RANKS: readonly Stability[] = ['experimental', 'beta', 'stable'];

/**
 * The standing of a thing that bears the mark, within something that has a standing itself: its own mark counts before
 * the holder's. An argument that is only deprecated is as stable as its field.
 */
export function standingWithin(own: Annotation, holder: Standing): Standing {
  if (own.stability !== undefined) return { stability: own.stability, deprecation: own.deprecation };
  return { stability: holder.stability, deprecation: own.deprecation ?? holder.deprecation };
}

/** Whether the first stability promises less than the other. */
export function isWeaker(one: Stability, other: Stability): boolean {
  return RANKS.indexOf(one) < RANKS.indexOf(other);
}

/**
 * The standing of everything that one description promises, by coordinate. What is used in several places, such as a
 * type, stands as high as in the place that promises most.
 */
export class Standings {
  readonly #places = new Map<string, { readonly standing: Standing; readonly own: Annotation }>();

  get coordinates(): readonly string[] {
    return [...this.#places.keys()];
  }

  /**
   * Says that clients reach the coordinate with this standing.
   *
   * @param own the mark that it bears itself
   * @returns whether this promises more than all that was said of it before
   */
  raise(coordinate: string, standing: Standing, own: Annotation = {}): boolean {
    const before = this.#places.get(coordinate);
    if (before !== undefined && strength(standing) <= strength(before.standing)) return false;
    this.#places.set(coordinate, { standing, own });
    return true;
  }

  /** The standing of the coordinate; undefined for what no client can reach. */
  of(coordinate: string): Standing | undefined {
    return this.#places.get(coordinate)?.standing;
  }

  /** The mark that the coordinate bears itself. */
  ownAnnotation(coordinate: string): Annotation {
    return this.#places.get(coordinate)?.own ?? {};
  }
}

/** Orders standings by the day from which they promise nothing, and by stability where that day is not set. */
function strength({ stability, deprecation }: Standing): string {
  const rank = RANKS.indexOf(stability);
  if (deprecation?.sunset !== undefined) return `${addDays(deprecation.sunset, 1)} ${rank}`;
  return stability === 'experimental' ? `0 ${rank}` : `9999-99-99 ${rank}`;
}
