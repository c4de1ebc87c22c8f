import type { Contest } from './contests/contest.ts';
import { type Bench, type Effort, measureContest, type Result } from './measure/contest.ts';
import { readRatios } from './report/ratios.ts';
import { fine } from './report/table.ts';
import { pairedRatio, type Ratio } from './report/verdict.ts';
import { CHECK_SHARE } from './targets.ts';

/** The number of contests that kept their committed ratio, and of those that did not. */
export interface Tally {
  readonly passed: number;
  readonly failed: number;
}

const FIGURES = ['rate', 'processor'] as const;

/** A failed contest is measured again with this many times the rounds, because the machine may have been busy. */
const RETRY = 3;

/**
 * Measures each contest between the service and the first of its peers, and compares the ratios of the requests
 * per second, and per second of processor time, with the committed ones.
 *
 * @throws {Error} if a contest has no committed ratio
 */
export async function checkRatios(contests: readonly Contest[], effort: Effort, bench: Bench): Promise<Tally> {
  const committed = readRatios();
  const expected = contests.map(({ name, entrants }) => committed[name]?.[entrants[1]?.name ?? '']);
  const unknown = contests.find((_, n) => expected[n] === undefined);
  if (unknown !== undefined) {
    throw new Error(`ratios.json has no ratio of "${unknown.name}": run npm run bench, and commit what it writes.`);
  }
  let [passed, failed] = [0, 0];
  for (const [n, contest] of contests.entries()) {
    const duel = { ...contest, entrants: contest.entrants.slice(0, 2) };
    if (await holds(duel, expected[n] as Ratio, effort, bench)) passed++;
    else failed++;
  }
  return { passed, failed };
}

async function holds(contest: Contest, expected: Ratio, effort: Effort, bench: Bench): Promise<boolean> {
  const efforts = [effort, { ...effort, rounds: effort.rounds * RETRY }];
  for (const [attempt, each] of efforts.entries()) {
    const [ours, theirs] = await measureContest(contest, each, { ...bench, say: () => {} });
    const found = pairedRatio(ours as Result, theirs as Result);
    // Not every system provides the processor time.
    const isHeld = FIGURES.every(
      (figure) =>
        found[figure] >= expected[figure] * CHECK_SHARE || (figure === 'processor' && Number.isNaN(found[figure])),
    );
    const word = isHeld ? 'passed' : attempt === 0 ? 'again ' : 'FAILED';
    const [, peer] = contest.entrants;
    const figures = FIGURES.map((figure) => {
      const [ratio, committed, least] = [found[figure], expected[figure], expected[figure] * CHECK_SHARE].map(fine);
      return `${figure} ${ratio}, committed ${committed}, at least ${least}`;
    });
    bench.say(`  ${word}  ${contest.name}, against ${peer?.name}: ${figures.join('; ')}`);
    if (isHeld) return true;
  }
  return false;
}
