import type { GraphQLNamedType } from 'graphql';
import type { ListTables } from '../db/paging.ts';

/** The list that these arguments search; undefined if an index can find their page. */
export type SearchedList = (given: Readonly<Record<string, unknown>>) => ListTables | undefined;

/** Returns that function of a connection type; undefined for other types. */
export function searchesOf(type: Pick<GraphQLNamedType, 'extensions'>): SearchedList | undefined {
  return type.extensions.searchedList as SearchedList | undefined;
}
