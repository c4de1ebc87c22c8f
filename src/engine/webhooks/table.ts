import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  check,
  index,
  integer,
  pgTable,
  smallint,
  text,
  timestamp,
  unique,
} from 'drizzle-orm/pg-core';
import { idColumn, int64Column, lengthCheck, versionColumn } from '../db/columns.ts';

export const WEBHOOK_LENGTHS = { url: { min: 1, max: 2_000 }, description: { min: 0, max: 500 } } as const;

export const webhooks = pgTable(
  'webhooks',
  {
    id: idColumn(),
    url: text().notNull(),
    /** The types of the events that it gets, separated by spaces; null for all. */
    types: text(),
    description: text(),
    enabled: boolean().notNull().default(true),
    /** Why the service has disabled it; null if a client has. */
    disabledBecause: text('disabled_because'),
    /** Signs the requests, so it cannot be stored as a digest. */
    secret: text().notNull(),
    /** The secret before the last rotation, which signs too for some time. */
    previousSecret: text('previous_secret'),
    previousUntil: timestamp('previous_until', { withTimezone: true }),
    /** The position of the last event that it has a delivery for, if it wants that event. */
    position: bigint({ mode: 'number' }).notNull(),
    pausedUntil: timestamp('paused_until', { withTimezone: true }),
    /** The process that delivers for it, until a time of the database's clock. */
    owner: text(),
    ownedUntil: timestamp('owned_until', { withTimezone: true }),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull(),
    /** The account of the caller that has created it; null if an earlier version of the service has. */
    createdBy: text('created_by'),
    version: versionColumn(),
  },
  (table) => [lengthCheck(table.url, WEBHOOK_LENGTHS.url), lengthCheck(table.description, WEBHOOK_LENGTHS.description)],
);

export const deliveries = pgTable(
  'deliveries',
  {
    id: idColumn(),
    webhookId: int64Column('webhook_id')
      .notNull()
      .references(() => webhooks.id, { onDelete: 'cascade' }),
    /** With the position, the id of the event. */
    epoch: integer().notNull(),
    position: bigint({ mode: 'number' }).notNull(),
    type: text().notNull(),
    subject: text().notNull(),
    status: text().$type<DeliveryStatus>().notNull().default('pending'),
    attempts: smallint().notNull().default(0),
    /** When the next attempt is due; null for one that waits for an earlier delivery of its subject. */
    dueAt: timestamp('due_at', { withTimezone: true }),
    lastAttemptAt: timestamp('last_attempt_at', { withTimezone: true }),
    /** The status code of the last response; null if there was none. */
    responseStatus: smallint('response_status'),
    error: text(),
  },
  (table) => [
    unique('deliveries_event').on(table.webhookId, table.position),
    index('deliveries_of_webhook').on(table.webhookId, table.id),
    index('deliveries_by_status').on(table.webhookId, table.status, table.id),
    index('deliveries_due').on(table.webhookId, table.dueAt, table.position).where(sql`status = 'pending'`),
    index('deliveries_of_subject').on(table.webhookId, table.subject, table.position).where(sql`status = 'pending'`),
    index('deliveries_ended').on(table.status, table.lastAttemptAt).where(sql`status <> 'pending'`),
    check('deliveries_status', sql`${table.status} in ('pending', 'delivered', 'failed')`),
  ],
);

type DeliveryStatus = 'pending' | 'delivered' | 'failed';
export type Webhook = typeof webhooks.$inferSelect;
export type Delivery = typeof deliveries.$inferSelect;
