import { type GraphQLNamedType, type GraphQLSchema, isObjectType } from 'graphql';
import type { ListTables } from '../db/paging.ts';
import { membersOf } from '../lifecycle/annotated.ts';

declare module 'graphql' {
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    /** The list that it counts. */
    counts?: ListTables;
  }
  interface GraphQLObjectTypeExtensions<_TSource, _TContext> {
    /** Only connections have it. */
    scannedList?: ScannedList;
    /** The number of rows of a page that is requested without a size. */
    defaultPageSize?: number;
    /** Throws INVALID_ARGUMENT if these arguments select no page. */
    assertWindow?: (args: Readonly<Record<string, unknown>>) => void;
  }
}

/** The list that is scanned with these arguments; undefined if an index can find their page. */
export type ScannedList = (given: Readonly<Record<string, unknown>>) => ListTables | undefined;

/** The extensions of a connection type; undefined for other types. */
export function connectionOf(type: GraphQLNamedType) {
  return isObjectType(type) && type.extensions.scannedList !== undefined ? type.extensions : undefined;
}

/** All tables that the totals of the schema's lists read. */
export function countedTables(schema: GraphQLSchema): ListTables['tables'] {
  return [
    ...new Set(
      membersOf(schema).flatMap(({ element }) => ('args' in element && element.extensions.counts?.tables) || []),
    ),
  ];
}
