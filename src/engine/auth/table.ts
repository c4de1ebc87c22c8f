import { pgTable, text, timestamp } from 'drizzle-orm/pg-core';

/** The API keys; of the secret there is a digest alone. */
export const apiKeys = pgTable('api_keys', {
  id: text().primaryKey(),
  name: text().notNull(),
  /** SHA-256 of the secret: it has 256 random bits, so that nobody can guess it from there. */
  digest: text().notNull(),
  /** Separated by spaces. */
  scopes: text().notNull(),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  expiresAt: timestamp('expires_at', { withTimezone: true }),
  revokedAt: timestamp('revoked_at', { withTimezone: true }),
});
