import { type GraphQLSchema, isObjectType } from 'graphql';
import type { ListTables } from '../db/paging.ts';
import { ServiceError } from '../errors.ts';
import { isOpen } from './conditions.ts';
import { type Selection, waysBy } from './selection.ts';

/** How many lists an operation may have counted. */
const MAX_COUNTS = 10;

/**
 * The lists that an operation has counted with these variables. Where a list is within rows it is one all the same: those of
 * all rows are counted with one statement.
 *
 * @throws {ServiceError} INVALID_ARGUMENT when they are too many
 */
type CountedLists = (variables: Readonly<Record<string, unknown>>) => readonly ListTables[];

/** Finds them for an operation. A total is counted once, however often a list is asked for it. */
export function countedLists({ fields }: Selection): CountedLists {
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
    const counted = [...ways].filter(([, toList]) => isOpen(toList, variables));
    if (counted.length > MAX_COUNTS) {
      const message = `The operation has ${counted.length} lists with totalCount; the maximum is ${MAX_COUNTS}.`;
      throw new ServiceError('INVALID_ARGUMENT', message);
    }
    return counted.map(([place]) => listAt.get(place) as ListTables);
  };
}

/** All tables that are read to count some list of the schema. */
export function countedTables(schema: GraphQLSchema): ListTables['tables'] {
  const types = Object.values(schema.getTypeMap()).filter(isObjectType);
  const lists = types.flatMap((type) => Object.values(type.getFields()).map(({ extensions }) => extensions.countsList));
  return [...new Set(lists.flatMap((list) => (list as ListTables | undefined)?.tables ?? []))];
}
