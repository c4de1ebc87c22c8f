import { bigint, date, index, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core';

/** The number of uses of each annotated element by each client, by day in UTC. */
export const lifecycleUses = pgTable(
  'lifecycle_uses',
  {
    coordinate: text().notNull(),
    day: date().notNull(),
    client: text().notNull(),
    uses: bigint({ mode: 'number' }).notNull(),
    lastSeen: timestamp('last_seen', { withTimezone: true }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.coordinate, table.day, table.client] }),
    index('lifecycle_uses_day').on(table.day),
  ],
);

/** Since when the uses of each annotated element are counted. Before that, no count does not mean no use. */
export const lifecycleCounting = pgTable('lifecycle_counting', {
  coordinate: text().primaryKey(),
  since: timestamp({ withTimezone: true }).notNull(),
});
