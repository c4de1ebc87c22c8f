import type { SQL } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { List } from '../db/keyset.ts';
import type { RowRef } from '../schema/builder.ts';
import { capitalize, withArticle } from '../text.ts';

interface EventType {
  /** Such as `book.created`. */
  readonly name: string;
  readonly description: string;
}

/** A type of event for some changes of a row. */
interface EventTypeWhen extends EventType {
  /** The condition, on the table's columns after the change and those of `before`. */
  readonly when: SQL;
}

/** A table whose changes are events: those of the rows of a list. */
export interface EventSource {
  /** Its first table is the one whose changes are told; the rows' `version` says whether a client can see a change. */
  readonly list: List;
  readonly type: RowRef<object>;
  /** Tells which request has changed a row, for statements that work for many (see `byRequests`); the id by default. */
  readonly requestKey?: PgColumn;
  /** For a row that came into the list. */
  readonly created: EventType;
  /** For a row with another version: the first whose condition holds, or the last. */
  readonly updated: readonly [...EventTypeWhen[], EventType];
  /** For a row that left the list. */
  readonly deleted: EventType;
}

interface RowEventsOptions extends Pick<EventSource, 'list' | 'type'> {
  /** The name of a row, such as `book`. */
  readonly one: string;
}

/** The events of a resource's rows: `created`, `updated` and `deleted`. */
export function rowEvents({ one, ...source }: RowEventsOptions): EventSource {
  const type = (what: string): EventType => ({
    name: `${one}.${what}`,
    description: `${capitalize(withArticle(one))} was ${what}.`,
  });
  return { ...source, created: type('created'), updated: [type('updated')], deleted: type('deleted') };
}

export function eventTypesOf(sources: readonly EventSource[]): readonly EventType[] {
  return sources.flatMap(({ created, updated, deleted }) => [created, ...updated, deleted]);
}

/** The name of a type in GraphQL, where names have no dots. */
export function enumNameOf({ name }: Pick<EventType, 'name'>): string {
  return name.replace('.', '_');
}
