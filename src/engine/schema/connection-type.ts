import { type GraphQLNamedType, type GraphQLSchema, isObjectType } from 'graphql';
import type { ListTables } from '../db/paging.ts';
import { membersOf } from '../lifecycle/annotated.ts';

declare module 'graphql' {
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    /** The list that it counts. */
    counts?: ListTables;
  }
  interface GraphQLObjectTypeExtensions<_TSource, _TContext> {
    connection?: ConnectionExtension;
  }
}

/** The extension of the connection types: what the operations that read their pages cost, and may ask. */
export interface ConnectionExtension {
  /** The list that is scanned with these arguments; undefined if an index can find their page. */
  scannedList(args: Readonly<Record<string, unknown>>): ListTables | undefined;
  /** The number of rows of a page that is requested without a size. */
  readonly defaultPageSize: number;
  /** @throws {ServiceError} INVALID_ARGUMENT if these arguments select no page */
  assertWindow(args: Readonly<Record<string, unknown>>): void;
}

export function connectionOf(type: GraphQLNamedType): ConnectionExtension | undefined {
  return isObjectType(type) ? type.extensions.connection : undefined;
}

/** All tables that the totals of the schema's lists read. */
export function countedTables(schema: GraphQLSchema): ListTables['tables'] {
  return [
    ...new Set(
      membersOf(schema).flatMap(({ element }) => ('args' in element && element.extensions.counts?.tables) || []),
    ),
  ];
}
