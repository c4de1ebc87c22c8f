import type { Database } from '../engine/db/client.ts';
import type { Context } from '../engine/schema/context.ts';
import type { LifecycleStore } from '../engine/usage/store.ts';
import { categoryStore } from './categories/store.ts';
import { inventoryStore } from './inventory/store.ts';
import { orderStore } from './orders/store.ts';
import { petStore } from './pets/store.ts';

/** What every resolver is given: the rooms' stores. One for all requests, for reads are coalesced across them. */
export function createContext(database: Database, lifecycle: LifecycleStore): Context {
  return {
    categories: categoryStore(database),
    pets: petStore(database),
    inventory: inventoryStore(database),
    orders: orderStore(database),
    lifecycle,
  };
}
