import { isOpen, type Ways } from './conditions.ts';
import type { Selections } from './selections.ts';

/**
 * How many lists an operation counts with these variables. Where a list is within rows it is one all the same: those of all
 * rows are counted with one statement.
 */
export type CountOfCounts = (variables: Readonly<Record<string, unknown>>) => number;

/** Makes the count for an operation. A total is counted once, however often a list is asked for it. */
export function countOfCounts({ fields }: Selections): CountOfCounts {
  const lists = new Map<string, Ways>();
  for (const { field, path, conditions } of fields) {
    if (field.extensions.countsList !== true) continue;
    const list = path.slice(0, path.lastIndexOf('.'));
    lists.set(list, [...(lists.get(list) ?? []), conditions]);
  }
  if (lists.size === 0) return () => 0;
  const all = [...lists.values()];
  return (variables) => all.filter((ways) => isOpen(ways, variables)).length;
}
