import { bigint, pgTable, text } from 'drizzle-orm/pg-core';

/** The units that each caller has used in the current window, in all processes together. */
export const rateLimits = pgTable('rate_limits', {
  caller: text().primaryKey(),
  /** The start of the window, in seconds since the epoch. */
  window: bigint({ mode: 'number' }).notNull(),
  used: bigint({ mode: 'number' }).notNull(),
});
