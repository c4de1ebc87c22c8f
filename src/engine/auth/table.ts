import { pgTable, text, timestamp } from 'drizzle-orm/pg-core';

/** The API keys; only a digest of the secret is stored. */
export const apiKeys = pgTable('api_keys', {
  id: text().primaryKey(),
  name: text().notNull(),
  /** SHA-256 of the secret; no slow hash is needed, because the secret has 256 random bits. */
  digest: text().notNull(),
  /** Separated by spaces. */
  scopes: text().notNull(),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  expiresAt: timestamp('expires_at', { withTimezone: true }),
  revokedAt: timestamp('revoked_at', { withTimezone: true }),
});
