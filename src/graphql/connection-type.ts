import type { GraphQLObjectType } from 'graphql';

/** Whether a list that is asked for by these arguments is a search. */
export type IsSearch = (given: Readonly<Record<string, unknown>>) => boolean;

/** What tells that of a connection's list; undefined for what is no connection. */
export function searchesOf(type: GraphQLObjectType | undefined): IsSearch | undefined {
  return type?.extensions.isSearch as IsSearch | undefined;
}
