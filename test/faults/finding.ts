/** What was promised, and what was measured of it. */
export interface Finding {
  readonly promise: string;
  readonly measured: string;
  readonly holds: boolean;
}

/** How much of it is run: in full, or shortened for CI. */
export interface Size {
  /** `REQUEST_TIMEOUT`, in seconds. */
  readonly deadline: number;
  readonly serviceKills: number;
  readonly serverKills: number;
  /** How often each of two instances is restarted. */
  readonly rolls: number;
  readonly replays: number;
  /** How many pets there are where one caller attacks, and how long it does, in seconds. */
  readonly pets: number;
  readonly attack: number;
  /** How many lists, and how many documents, are looked at for what they cost. */
  readonly candidates: number;
  /** How often the disk fills. */
  readonly fills: number;
  /** How often the issuer's key is replaced. */
  readonly rotations: number;
  /** How many hours the wall clock is from the right time, one after another. */
  readonly jumps: readonly number[];
}

export interface Scenario {
  readonly name: string;
  run(size: Size): Promise<readonly Finding[]>;
}

/** Why a scenario cannot be tried on this machine. */
export class NotHere extends Error {}

/** In seconds, with one digit. */
export function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}

/** How often each comes, such as `12 x 200, 3 x 503`. */
export function tally(values: readonly (string | number)[]): string {
  const counts = new Map<string | number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  const sorted = [...counts].sort(([one], [other]) => (one < other ? -1 : 1));
  return sorted.map(([value, count]) => `${count} x ${value === 0 ? 'cut off' : value}`).join(', ') || 'none';
}
