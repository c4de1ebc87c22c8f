import { sql } from 'drizzle-orm';
import { bigint, boolean, check, index, integer, json, pgTable, smallint, text, timestamp } from 'drizzle-orm/pg-core';

/**
 * Changes that are committed but not published yet; the triggers write them. A row has one change, or many of one
 * statement in arrays. `seq` orders the changes of a table's row, because a change draws it while it has that row locked.
 * It must not be cached, or a later change could get a smaller one.
 */
export const outbox = pgTable('outbox', {
  seq: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
  /** With the time, identifies the statement: a connection runs one at a time. */
  writer: integer().notNull().default(sql`pg_backend_pid()`),
  time: timestamp({ withTimezone: true }).notNull().default(sql`statement_timestamp()`),
  /** Orders the events of a statement: causes before effects. */
  rank: smallint().notNull(),
  type: text(),
  subject: text(),
  data: json(),
  correlation: text(),
  /** How many changes there are. The arrays have as many elements; without them, the columns above have the only one. */
  size: integer().notNull().default(1),
  types: text().array(),
  subjects: text().array(),
  images: json().array(),
  correlations: text().array(),
});

/** The published events. Nothing ever appears before the last one. */
export const events = pgTable(
  'events',
  {
    position: bigint({ mode: 'number' }).primaryKey(),
    time: timestamp({ withTimezone: true }).notNull(),
    type: text().notNull(),
    subject: text().notNull(),
    /** The row after the change, or before it if it was deleted. */
    data: json().notNull(),
    /** The id of the request that has changed the row; null if none has. */
    correlation: text(),
  },
  (table) => [index('events_subject').on(table.subject, table.position)],
);

/** The state of the feed: one row, whose lock lets one process publish at a time. */
export const feed = pgTable(
  'feed',
  {
    isOnly: boolean('is_only').primaryKey().default(true),
    /** Raised when readers must not go on from their cursors. */
    epoch: integer().notNull().default(1),
    /** The position of the last event that retention has deleted; 0 for none. */
    deleted: bigint({ mode: 'number' }).notNull().default(0),
    /** The position of the last event; 0 for none. */
    last: bigint({ mode: 'number' }).notNull().default(0),
    /** No change of the outbox up to this one is left, or can still appear. */
    finished: bigint({ mode: 'number' }).notNull().default(0),
    /** What may be finished next, and the id that the transactions which may still write there are smaller than. */
    ending: bigint({ mode: 'number' }),
    endedAt: bigint('ended_at', { mode: 'number' }),
  },
  (table) => [check('feed_is_only', sql`${table.isOnly}`)],
);
