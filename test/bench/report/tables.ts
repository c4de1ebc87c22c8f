import type { Contest } from '../contests/contest.ts';
import type { Result } from '../measure/contest.ts';
import type { StartTime } from '../measure/start.ts';
import { median } from '../measure/statistics.ts';
import { START_TARGETS } from '../targets.ts';
import { fine, table, whole } from './table.ts';
import { latencyVerdictOf, medianOf, verdictsOf } from './verdict.ts';

/** A contest, and the results of its entrants. */
export interface Outcome {
  readonly contest: Contest;
  readonly results: readonly Result[];
}

/** The results of each entrant of a contest, with the first one's ratio to each other. */
export function contestTable({ contest, results }: Outcome): string {
  const ratios = new Map(verdictsOf(contest, results).map(({ against, ratio }) => [against, fine(ratio)]));
  const figures = ['Requests/s', 'Least', 'Most', 'p50 ms', 'p99 ms', 'CPU µs/request', 'RSS MiB', 'Ratio to it'];
  const rows = results.map((result) => {
    const { entrant, rounds } = result;
    const rates = rounds.map(({ rate }) => rate);
    return [
      entrant.name,
      whole(medianOf(result, 'rate')),
      whole(Math.min(...rates)),
      whole(Math.max(...rates)),
      fine(medianOf(result, 'p50')),
      fine(medianOf(result, 'p99')),
      whole(medianOfKnown(rounds.map((round) => round.processorTimePerRequest))),
      whole(medianOfKnown(rounds.map(({ memory }) => memory))),
      ratios.get(entrant.name) ?? '',
    ];
  });
  return table([contest.differIn, ...figures], rows);
}

/** Every target with its measured ratio. */
export function targetTable(outcomes: readonly Outcome[]): string {
  const rows = outcomes.flatMap(({ contest, results }) => {
    const ratios = verdictsOf(contest, results).flatMap(({ against, ratio, target }) =>
      target === undefined ? [] : [[contest.name, against, fine(ratio), fine(target), yesOrNo(ratio >= target)]],
    );
    const latency = latencyVerdictOf(contest, results);
    if (latency === undefined) return ratios;
    const { ours, best, bestPeer } = latency;
    const row = [`${contest.name}, p99 ms`, `${bestPeer}, the best`, fine(ours), `at most ${fine(best)}`];
    return [...ratios, [...row, yesOrNo(ours <= best)]];
  });
  return table(['Workload', 'Against', 'Measured', 'Target', 'Reached'], rows);
}

/** The times of starts. */
export function startTable(times: readonly StartTime[]): string {
  const rows = times.map(({ database, seconds }) => {
    const [middle, target] = [median(seconds), START_TARGETS[database]];
    const spread = [fine(Math.min(...seconds)), fine(Math.max(...seconds))];
    return [TITLES[database], fine(middle), ...spread, `under ${target}`, yesOrNo(middle < target)];
  });
  return table(['Start to first answer, on', 'Seconds', 'Least', 'Most', 'Target', 'Reached'], rows);
}

const TITLES = { server: 'a server, migrated', embedded: 'an embedded folder that exists' };

function yesOrNo(isReached: boolean): string {
  return isReached ? 'yes' : 'no';
}

function medianOfKnown(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : median(known);
}
