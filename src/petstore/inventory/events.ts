import type { EventSource } from '../../engine/index.ts';
import { InventoryItemType } from './graphql.ts';
import { inventoryList } from './list.ts';

/** An entry of a deleted pet goes with it, and has no event of its own. */
export const inventoryEvents: EventSource = {
  list: inventoryList,
  type: InventoryItemType,
  created: { name: 'inventory.counted', description: 'The stock of a pet is tracked from now on.' },
  updated: [{ name: 'inventory.changed', description: 'The stock of a pet has changed, by an order or a new count.' }],
  deleted: { name: 'inventory.stopped', description: 'The stock of a pet is no longer tracked.' },
};
