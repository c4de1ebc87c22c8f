import type { DatabaseLocation } from '../engine/db/client.ts';
import type { Settings } from './settings.ts';

/**
 * The location of the database that the settings configure.
 *
 * @param name the name of this process's connections on a server
 */
export function locationIn(
  { DATABASE_URL, DATA_DIR, REQUEST_TIMEOUT, DATABASE_POOL }: Settings,
  name: string,
): DatabaseLocation {
  return { name, url: DATABASE_URL, folder: DATA_DIR, timeout: REQUEST_TIMEOUT, pool: DATABASE_POOL };
}
