import type { GraphQLNamedType } from 'graphql';
import type { ListTables } from '../db/paging.ts';

/** The list that is scanned with these arguments; undefined if an index can find their page. */
export type ScannedList = (given: Readonly<Record<string, unknown>>) => ListTables | undefined;

export function isConnection(type: Pick<GraphQLNamedType, 'extensions'>): boolean {
  return scansOf(type) !== undefined;
}

/** Returns that function of a connection type; undefined for other types. */
export function scansOf(type: Pick<GraphQLNamedType, 'extensions'>): ScannedList | undefined {
  return type.extensions.scannedList as ScannedList | undefined;
}
