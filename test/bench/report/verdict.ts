import type { Contest } from '../contests/contest.ts';
import { peerDialect, postgraphileDialect } from '../contests/dialect.ts';
import type { Result } from '../measure/contest.ts';
import { median } from '../measure/statistics.ts';

/** The first entrant of a contest compared with another. */
export interface Verdict {
  readonly against: string;
  /** Of the medians of the requests per second. */
  readonly ratio: number;
  /** The minimum ratio; undefined if there is no target. */
  readonly target: number | undefined;
}

/** The first entrant's 99th percentile, in milliseconds, compared with the best peer's. */
export interface LatencyVerdict {
  readonly ours: number;
  readonly best: number;
  readonly bestPeer: string;
}

/** The median over the rounds. */
export function medianOf({ rounds }: Result, figure: 'rate' | 'p50' | 'p99'): number {
  return median(rounds.map((round) => round[figure]));
}

/** The ratio of each round to the other's round right after it, when the machine was in the same state. */
export function pairedRatio(one: Result, other: Result): number {
  return median(one.rounds.map((round, n) => round.rate / (other.rounds[n]?.rate ?? 0)));
}

/** The first entrant compared with each other. */
export function verdictsOf({ targets }: Contest, [first, ...others]: readonly Result[]): Verdict[] {
  if (first === undefined) return [];
  return others.map((other) => ({
    against: other.entrant.name,
    ratio: medianOf(first, 'rate') / medianOf(other, 'rate'),
    target: targets[other.entrant.name],
  }));
}

/** Undefined for a contest that is not among peers. A limit is no peer. */
export function latencyVerdictOf({ isAmongPeers }: Contest, results: readonly Result[]): LatencyVerdict | undefined {
  const [first] = results;
  const dialects = [peerDialect, postgraphileDialect];
  const [best] = results
    .filter(({ entrant: { contestant } }) => dialects.includes(contestant.dialect) && !contestant.isLimit)
    .sort((one, other) => medianOf(one, 'p99') - medianOf(other, 'p99'));
  if (!isAmongPeers || first === undefined || best === undefined) return undefined;
  return { ours: medianOf(first, 'p99'), best: medianOf(best, 'p99'), bestPeer: best.entrant.name };
}
