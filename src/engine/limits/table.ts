import { bigint, pgTable, text } from 'drizzle-orm/pg-core';

/** What each caller has used in the window of the moment, by all processes together. */
export const rateLimits = pgTable('rate_limits', {
  caller: text().primaryKey(),
  /** When it began, in seconds since the epoch. */
  window: bigint({ mode: 'number' }).notNull(),
  used: bigint({ mode: 'number' }).notNull(),
});
