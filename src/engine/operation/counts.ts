import type { GraphQLSchema } from 'graphql';
import type { ListTables } from '../db/paging.ts';
import { type Annotatable, membersOf } from '../lifecycle/annotated.ts';
import { isIncluded } from './conditions.ts';
import type { Variables } from './prepared.ts';
import { alternativesBy, limitExceeded, type Selection } from './selection.ts';

/** The maximum number of lists with `totalCount` in an operation. */
const MAX_COUNTS = 10;

/**
 * Finds the lists that an operation counts, each once: one statement counts a list within rows for all of them. What it
 * returns throws INVALID_ARGUMENT if there are too many with the variables.
 */
export function countedLists({ fields }: Selection): (variables: Variables) => readonly ListTables[] {
  const totals = alternativesBy(fields, ({ field, path }) =>
    listOf(field) === undefined ? undefined : path.slice(0, path.lastIndexOf('.')),
  );
  if (totals.size === 0) return () => [];
  return (variables) => {
    const counted = [...totals.values()].filter(({ alternatives }) => isIncluded(alternatives, variables));
    if (counted.length > MAX_COUNTS) {
      throw limitExceeded(`The operation has ${counted.length} lists with totalCount; the maximum is ${MAX_COUNTS}.`);
    }
    return counted.flatMap(({ field }) => listOf(field) ?? []);
  };
}

/** All tables that the totals of the schema's lists read. */
export function countedTables(schema: GraphQLSchema): ListTables['tables'] {
  return [...new Set(membersOf(schema).flatMap(({ element }) => listOf(element)?.tables ?? []))];
}

function listOf({ extensions }: Pick<Annotatable, 'extensions'>): ListTables | undefined {
  return extensions.countsList as ListTables | undefined;
}
