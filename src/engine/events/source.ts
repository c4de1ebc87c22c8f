import { getTableName, type SQL, type SQLWrapper } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import type { List } from '../db/list.ts';
import type { Declared } from '../lifecycle/annotation.ts';
import type { RowRef } from '../schema/builder.ts';
import { capitalize, withArticle } from '../text.ts';

export interface EventType {
  /** Such as `book.created`. */
  readonly name: string;
  readonly description: string;
  readonly lifecycle?: Declared;
}

/** A table whose changes are events: those of the rows of a list. */
export interface EventSource {
  /** Its first table is the one whose changes are events; the rows' `version` says whether a client can see a change. */
  readonly list: List;
  readonly type: RowRef<object>;
  /** Tells which request has changed a row, for statements that work for many (see `storeRequestIds`); the id by default. */
  readonly requestKey?: SQLWrapper;
  /** For a row that came into the list. */
  readonly created: EventType;
  /**
   * For a row with another version: the first whose condition holds, or the last. A condition is on the table's columns
   * after the change and those of `before`.
   */
  readonly updated: readonly [...(EventType & { readonly when: SQL })[], EventType];
  /** For a row that left the list. */
  readonly deleted: EventType;
}

/** The events of a resource's rows: `created`, `updated` and `deleted`. */
export function rowEvents({
  one,
  ...source
}: Pick<EventSource, 'list' | 'type'> & { readonly one: string }): EventSource {
  const type = (what: string): EventType => ({
    name: `${one}.${what}`,
    description: `${capitalize(withArticle(one))} was ${what}.`,
  });
  return { ...source, created: type('created'), updated: [type('updated')], deleted: type('deleted') };
}

/** @throws {Error} if two sources have the same table, or two types of events the same name */
export function assertDistinct(sources: readonly EventSource[]): void {
  const tables = sources.map(({ list }) => `the table ${getTableName(list.tables[0] as PgTable)}`);
  const names = [...tables, ...eventTypesOf(sources).map((type) => `the type ${enumNameOf(type)}`)];
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) throw new Error(`The events have ${twice} twice.`);
}

export function eventTypesOf(sources: readonly EventSource[]): readonly EventType[] {
  return sources.flatMap(({ created, updated, deleted }) => [created, ...updated, deleted]);
}

/** The name of a type in GraphQL, where names have no dots. */
export function enumNameOf({ name }: Pick<EventType, 'name'>): string {
  return name.replaceAll('.', '_');
}
