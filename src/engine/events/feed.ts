import { is, SQL, sql } from 'drizzle-orm';
import { PgArray } from 'drizzle-orm/pg-core';
import type { Database } from '../db/client.ts';
import type { RowOf } from '../db/row.ts';
import { ServiceError } from '../errors.ts';
import { parseJson } from '../json.ts';
import { type FeedCursor, NOW, readEventId, toEventId } from './cursor.ts';
import { type EventSource, eventTypesOf } from './source.ts';
import { events, feed } from './table.ts';

export interface FeedEvent extends Omit<typeof events.$inferSelect, 'data'> {
  readonly id: string;
  readonly data: EventRow;
}

/** The row of an event, with the name of its GraphQL type. */
export interface EventRow {
  readonly __typename: string;
}

/** Which events a reader wants; undefined and null for all. */
export interface EventFilter {
  readonly types?: readonly string[] | null | undefined;
  readonly subject?: string | null | undefined;
}

export interface FeedPage {
  readonly events: readonly FeedEvent[];
  /** Where to go on. */
  readonly next: FeedCursor;
  /** Whether there were further events when the page was read; the filter may exclude them all. */
  readonly hasMore: boolean;
}

/** The feed's one row: the epoch, and the positions of the last events that were deleted and published. */
const STATE = { epoch: Number, deleted: Number, last: Number };
type FeedState = RowOf<typeof STATE>;

/** How many events a page by type looks through, as rare types may have none: it costs two or three reads by key. */
const LOOKED_THROUGH = 1_000;

export type FeedStore = ReturnType<typeof feedStore>;

export type FeedPages = Pick<FeedStore, 'page' | 'pageAfter' | 'state'>;

interface FeedOptions {
  /** The `source` of the events (CloudEvents 1.0). */
  readonly name: string;
  /** Whether events are recorded. */
  readonly isOn: boolean;
}

export function feedStore(database: Database, sources: readonly EventSource[], { name, isOn }: FeedOptions) {
  const { time, type, correlation } = events;
  const rowReaders = new Map(sources.flatMap(readersOf));
  const limit = sql.placeholder('limit');
  const [types, subject] = [sql.placeholder('types'), sql.placeholder('subject')];
  const pageOf = (name: string, found: SQL, isEnd = sql`false`) =>
    database.statement(
      name,
      'list',
      sql`select epoch, deleted, last, position, time, type, subject, data::text, correlation, ${isEnd}
        from ${feed} left join lateral (${found} order by position limit ${limit}::integer) as page on true`,
      { ...STATE, position: Number, time, type, subject: events.subject, data: String, correlation, isEnd: Boolean },
    );
  const after = (condition: SQL) =>
    sql`select * from ${events} where position > greatest(${sql.placeholder('after')}::bigint, deleted) and ${condition}`;
  /** The events of the types, and the one at which the search ends. */
  const ofTypes = (found: SQL) => sql`select * from (
      select *, row_number() over (order by position) = ${LOOKED_THROUGH} as is_end
      from (${found} order by position limit ${LOOKED_THROUGH}) as looked) as numbered
    where type = any(${types}::text[]) or is_end`;
  const [any, ofSubject] = [after(sql`true`), after(sql`subject = ${subject}`)];
  const all = pageOf('events.list', any);
  const byType = pageOf('events.listByType', ofTypes(any), sql`is_end`);
  const bySubject = pageOf('events.listBySubject', ofSubject);
  const bySubjectAndType = pageOf('events.listBySubjectAndType', ofTypes(ofSubject), sql`is_end`);
  const readState = database.statement('events.state', 'lookup', sql`select epoch, deleted, last from ${feed}`, STATE);

  return {
    name,
    isOn,
    /** The types of events that this process knows. */
    types: [...rowReaders.keys()],

    /** Reads a stored event; undefined for a type that only a newer version of the service knows. */
    read: toEvent,
    page,
    pageAfter,
    state,
  };

  /**
   * @param cursor the id of the event that it comes after, or `now`; undefined for the first event that is kept
   * @throws {ServiceError} INVALID_ARGUMENT when the cursor is not one; GONE when events after it are deleted, or it is
   *   from an earlier epoch; NOT_FOUND when no events are recorded
   */
  async function page(cursor: string | null | undefined, filter: EventFilter, limit: number): Promise<FeedPage> {
    if (cursor === NOW) {
      const { epoch, last } = await state();
      return { events: [], next: { epoch, position: last }, hasMore: false };
    }
    return pageAfter(cursor == null ? undefined : readEventId(cursor, 'after'), filter, limit);
  }

  async function pageAfter(from: FeedCursor | undefined, filter: EventFilter, limit: number): Promise<FeedPage> {
    if (!isOn) throw notRecorded();
    const { types = null, subject } = filter;
    const values = { after: from?.position ?? 0, limit, types, subject };
    const [ofAll, ofWanted] = subject != null ? [bySubject, bySubjectAndType] : [all, byType];
    const statement = types === null ? ofAll : ofWanted;
    const rows = await statement(values);
    const [first] = rows as [(typeof rows)[number]];
    const { epoch, last } = first;
    if (from !== undefined) {
      const now = toEventId({ epoch, position: last });
      const instead = `Read the current state, then go on after ${now}; or begin without after, at the first event that is kept.`;
      assertKept(from, first, instead);
    }
    const found = rows.filter(({ position }) => position !== null);
    const wanted = types === null ? found : found.filter(({ type }) => types.includes(type));
    const isCut = found.length === limit || found.at(-1)?.isEnd === true;
    const position = (isCut ? found.at(-1)?.position : undefined) ?? last;
    return {
      events: wanted.flatMap((row) => toEvent(row) ?? []),
      next: { epoch, position },
      hasMore: position < last,
    };
  }

  async function state(): Promise<FeedState> {
    if (!isOn) throw notRecorded();
    const [row] = await readState();
    return row as FeedState;
  }

  function toEvent({ epoch, position, time, type, subject, data, correlation }: StoredEvent): FeedEvent | undefined {
    const read = rowReaders.get(type);
    if (read === undefined) return undefined;
    return { id: toEventId({ epoch, position }), position, type, subject, time, data: read(data), correlation };
  }
}

type StoredEvent = Omit<FeedEvent, 'id' | 'data'> & FeedCursor & { readonly data: string };

export function notRecorded(): ServiceError {
  return new ServiceError('NOT_FOUND', 'This service records no events.');
}

/** For a caller that may not read events. Throws as `page` does. */
export function positionOf(cursor: string, state: FeedState): number {
  if (cursor === NOW) return state.last;
  const from = readEventId(cursor, 'after');
  assertKept(from, state, 'Give the id of an event that is kept.');
  return from.position;
}

/** Throws GONE, with what a reader can do instead. */
function assertKept(from: FeedCursor, { epoch, deleted, last }: FeedState, instead: string): void {
  if (from.epoch === epoch && from.position >= deleted && from.position <= last) return;
  const why =
    from.epoch !== epoch
      ? 'It was issued before a backup was restored, or before events were switched on again.'
      : from.position < deleted
        ? 'Events after it are deleted by now.'
        : `It is after the last event, ${toEventId({ epoch, position: last })}: perhaps it is misspelt, or a backup was restored.`;
  throw new ServiceError('GONE', `after=${toEventId(from)} cannot be continued. ${why} ${instead}`);
}

/** The function that reads the rows of a source, for each of its types. */
function readersOf(source: EventSource) {
  const fields = Object.entries(source.list.columns).map(([name, column]) => {
    const { dataType } = is(column, PgArray) ? column.baseColumn : column;
    // For a row that was stored before the column was added.
    const fallback = is(column.default, SQL) ? null : (column.default ?? null);
    return { name, fallback, isDate: dataType === 'date' || column.getSQLType().startsWith('timestamp') };
  });
  const read = (data: string): EventRow => {
    const stored = parseJson(data) as Readonly<Record<string, unknown>>;
    const row: Record<string, unknown> = {};
    for (const { name, fallback, isDate } of fields) {
      const value = stored[name] === undefined ? fallback : stored[name];
      row[name] = isDate ? toDate(value) : value;
    }
    return Object.assign(row, { __typename: source.type.name });
  };
  return eventTypesOf([source]).map(({ name }) => [name, read] as const);
}

/** The date of a text, or the dates of a list. */
function toDate(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toDate);
  return value === null ? null : new Date(value as string);
}
