import type { Database } from './db/client.ts';
import type { Context } from './graphql/context.ts';
import { categoryStore } from './resources/categories/store.ts';
import { inventoryStore } from './resources/inventory/store.ts';
import type { LifecycleStore } from './resources/lifecycle/store.ts';
import { orderStore } from './resources/orders/store.ts';
import { petStore } from './resources/pets/store.ts';

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
