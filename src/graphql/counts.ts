import { isOpen } from './conditions.ts';
import { type Selections, waysBy } from './selections.ts';

/**
 * How many lists an operation counts with these variables. Where a list is within rows it is one all the same: those of all
 * rows are counted with one statement.
 */
export type CountOfCounts = (variables: Readonly<Record<string, unknown>>) => number;

/** Makes the count for an operation. A total is counted once, however often a list is asked for it. */
export function countOfCounts({ fields }: Selections): CountOfCounts {
  const ways = waysBy(fields, ({ field, path }) =>
    field.extensions.countsList === true ? path.slice(0, path.lastIndexOf('.')) : undefined,
  );
  if (ways.size === 0) return () => 0;
  const lists = [...ways.values()];
  return (variables) => lists.filter((toList) => isOpen(toList, variables)).length;
}
