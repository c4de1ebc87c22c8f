import type { GraphQLNamedType, GraphQLSchema } from 'graphql';
import type { ListTables } from '../db/paging.ts';
import { type Annotatable, membersOf } from '../lifecycle/annotated.ts';

/** The list that is scanned with these arguments; undefined if an index can find their page. */
export type ScannedList = (given: Readonly<Record<string, unknown>>) => ListTables | undefined;

export function isConnection(type: Pick<GraphQLNamedType, 'extensions'>): boolean {
  return scansOf(type) !== undefined;
}

/** Returns that function of a connection type; undefined for other types. */
export function scansOf(type: Pick<GraphQLNamedType, 'extensions'>): ScannedList | undefined {
  return type.extensions.scannedList as ScannedList | undefined;
}

/** Returns the number of rows of a connection's page that is requested without a size. */
export function defaultPageSizeOf(type: Pick<GraphQLNamedType, 'extensions'>): number {
  return type.extensions.defaultPageSize as number;
}

/** Returns the list that a field counts; undefined for other fields. */
export function countedList({ extensions }: Annotatable): ListTables | undefined {
  return extensions.counts as ListTables | undefined;
}

/** All tables that the totals of the schema's lists read. */
export function countedTables(schema: GraphQLSchema): ListTables['tables'] {
  return [...new Set(membersOf(schema).flatMap(({ element }) => countedList(element)?.tables ?? []))];
}
