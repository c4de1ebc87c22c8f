import type { DatabaseLocation } from '../engine/db/client.ts';
import { petStoreService } from '../petstore/service.ts';
import type { Settings } from './settings.ts';

/** The location of the database that the settings configure. */
export function locationIn({ DATABASE_URL, DATA_DIR, REQUEST_TIMEOUT, DATABASE_POOL }: Settings): DatabaseLocation {
  return {
    name: petStoreService.name,
    url: DATABASE_URL,
    folder: DATA_DIR,
    timeout: REQUEST_TIMEOUT,
    pool: DATABASE_POOL,
  };
}
