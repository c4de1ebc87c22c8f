import type { GraphQLObjectType } from 'graphql';
import type { ListTables } from '../db/paging.ts';

/** The list that is searched when it is asked for by these arguments; undefined where that is no search. */
export type SearchedList = (given: Readonly<Record<string, unknown>>) => ListTables | undefined;

/** What tells that of a connection's list; undefined for what is no connection. */
export function searchesOf(type: GraphQLObjectType | undefined): SearchedList | undefined {
  return type?.extensions.searchedList as SearchedList | undefined;
}
