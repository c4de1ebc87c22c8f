/** A promise, and the measurement of it. */
export interface Finding {
  readonly promise: string;
  readonly measured: string;
  readonly holds: boolean;
}

/** The size of a run: full, or shortened for CI. */
export interface Size {
  /** How many times as long as promised a response may take: more than 1 where the machine may be slow. */
  readonly patience: number;
  /** `REQUEST_TIMEOUT`, in seconds. */
  readonly deadline: number;
  readonly serviceKills: number;
  readonly serverKills: number;
  /** The number of restarts of each of two instances. */
  readonly rolls: number;
  readonly replays: number;
  /** For attacks: the number of pets, and the duration in seconds. */
  readonly pets: number;
  readonly attack: number;
  /** How many reads by key a unit may buy: more where a short run measures less exactly. */
  readonly maxReads: number;
  /** The number of lists, and of documents, whose cost is measured. */
  readonly candidates: number;
  /** The seed of their generator. */
  readonly seed: number | 'random';
  /** How often the disk is filled. */
  readonly fills: number;
  /** How often the issuer's key is replaced. */
  readonly rotations: number;
  /** The offsets of the wall clock, one after another, in hours. */
  readonly jumps: readonly number[];
}

export interface Scenario {
  readonly name: string;
  run(size: Size): Promise<readonly Finding[]>;
}

/** The reason why a scenario can't run on this machine. */
export class NotHere extends Error {}

/** In seconds, with one decimal. */
export function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}

/** The number of each value, such as `12 x 200, 3 x 503`. */
export function tally(values: readonly (string | number)[]): string {
  const counts = new Map<string | number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  const sorted = [...counts].sort(([one], [other]) => (one < other ? -1 : 1));
  return sorted.map(([value, count]) => `${count} x ${value === 0 ? 'cut off' : value}`).join(', ') || 'none';
}
