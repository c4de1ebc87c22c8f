import type { Contest } from '../contests/contest.ts';
import { peerDialect, postgraphileDialect } from '../contests/dialect.ts';
import type { Result, Round } from '../measure/contest.ts';
import { median } from '../measure/statistics.ts';

/** The first entrant of a contest compared with another. */
interface Verdict {
  readonly against: string;
  /** Of the medians of the requests per second. */
  readonly ratio: number;
  /** The minimum ratio; undefined if there is no target. */
  readonly target: number | undefined;
}

/** The first entrant's 99th percentile, in milliseconds, compared with the best peer's. */
interface LatencyVerdict {
  readonly ours: number;
  readonly best: number;
  readonly bestPeer: string;
}

/** The median over the rounds. */
export function medianOf({ rounds }: Result, figure: 'rate' | 'p50' | 'p99'): number {
  return median(rounds.map((round) => round[figure]));
}

/** The figures of two entrants that are compared by ratio; the higher figure is the better one. */
export interface Ratio {
  /** Of the requests per second. */
  readonly rate: number;
  /** Of the requests per second of the server's processor time; NaN where the system does not provide it. */
  readonly processor: number;
}

/** The ratio of each round to the other's round right after it, when the machine was in the same state. */
export function pairedRatio(one: Result, other: Result): Ratio {
  const pairs = one.rounds.map((round, n) => [round, other.rounds[n] as Round] as const);
  const time = ({ processorTimePerRequest = Number.NaN }: Round) => processorTimePerRequest;
  return {
    rate: median(pairs.map(([ours, theirs]) => ours.rate / theirs.rate)),
    processor: median(pairs.map(([ours, theirs]) => time(theirs) / time(ours))),
  };
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
export function latencyVerdictOf({ differIn }: Contest, results: readonly Result[]): LatencyVerdict | undefined {
  const [first] = results;
  const dialects = [peerDialect, postgraphileDialect];
  const [best] = results
    .filter(({ entrant: { contestant } }) => dialects.includes(contestant.dialect) && !contestant.isLimit)
    .sort((one, other) => medianOf(one, 'p99') - medianOf(other, 'p99'));
  if (differIn !== 'Contestant' || first === undefined || best === undefined) return undefined;
  return { ours: medianOf(first, 'p99'), best: medianOf(best, 'p99'), bestPeer: best.entrant.name };
}
