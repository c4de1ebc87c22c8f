import type { GraphQLSchema } from 'graphql';
import type { ListTables } from '../db/paging.ts';
import { membersOf } from '../lifecycle/annotated.ts';
import { isIncluded } from './conditions.ts';
import type { Variables } from './prepared.ts';
import { type Selection, tooMuch, waysBy } from './selection.ts';

/** The maximum number of lists with `totalCount` in an operation. */
const MAX_COUNTS = 10;

/**
 * Finds the lists that an operation counts, each once: one statement counts a list within rows for all of them. What it
 * returns throws INVALID_ARGUMENT if there are too many with the variables.
 */
export function countedLists({ fields }: Selection): (variables: Variables) => readonly ListTables[] {
  const listAt = new Map<string, ListTables>();
  const ways = waysBy(fields, ({ field, path }) => {
    const list = field.extensions.countsList as ListTables | undefined;
    if (list === undefined) return undefined;
    const place = path.slice(0, path.lastIndexOf('.'));
    listAt.set(place, list);
    return place;
  });
  if (ways.size === 0) return () => [];
  return (variables) => {
    const counted = [...ways].filter(([, toList]) => isIncluded(toList, variables));
    if (counted.length > MAX_COUNTS) {
      throw tooMuch(`The operation has ${counted.length} lists with totalCount; the maximum is ${MAX_COUNTS}.`);
    }
    return counted.map(([place]) => listAt.get(place) as ListTables);
  };
}

/** All tables that the totals of the schema's lists read. */
export function countedTables(schema: GraphQLSchema): ListTables['tables'] {
  const lists = membersOf(schema).map(({ element }) => element.extensions.countsList as ListTables | undefined);
  return [...new Set(lists.flatMap((list) => list?.tables ?? []))];
}
