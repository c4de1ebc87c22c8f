import type { DatabaseLocation } from '../engine/db/client.ts';
import type { Settings } from './settings.ts';

/** Where the settings have the database. */
export function locationIn({ DATABASE_URL, DATA_DIR, REQUEST_TIMEOUT, DATABASE_POOL }: Settings): DatabaseLocation {
  return { url: DATABASE_URL, folder: DATA_DIR, timeout: REQUEST_TIMEOUT, pool: DATABASE_POOL };
}
