/** Whether matrices are tested whole, as in `.ci/run`, and not by a sample. */
export const isWhole = process.env.TEST_CASES === 'all';

/**
 * Some of the cases of a long matrix, always the same: each value of each axis comes at least once. All of them where
 * TEST_CASES is `all`.
 *
 * @param axes what a case has of each axis; name two together to have each of their pairs
 */
export function sampleOf<T>(cases: readonly T[], ...axes: ((one: T) => string)[]): readonly T[] {
  if (isWhole) return cases;
  const seen = new Set<string>();
  return cases.filter((one) => {
    const values = axes.map((axis, n) => `${n} ${axis(one)}`);
    const isNew = values.some((value) => !seen.has(value));
    for (const value of values) seen.add(value);
    return isNew;
  });
}

/** How often a property is tested that takes a database: half as often, unless TEST_CASES is `all`. */
export const runsOf = (all: number): number => (isWhole ? all : Math.ceil(all / 2));
