import { gql, ok, type Resource, replacedOrCreated, route, rowRoutes } from '../../engine/index.ts';
import './graphql.ts';
import { inventoryStore } from './store.ts';

const tag = 'Inventory';
const item = rowRoutes({ tag, type: 'InventoryItem', fields: 'petId quantity status', id: 'petId' });

export const inventoryResource: Resource = {
  stores: (database) => ({ inventory: inventoryStore(database) }),
  routes: [
    route('GET', '/store/inventory', item.list('inventory')),
    route('GET', '/store/inventory/{petId}', {
      ...item.byId('inventoryItem'),
      reply: ok('Pet {petId} has no inventory entry.'),
    }),
    route('PUT', '/store/inventory/{petId}', {
      tag,
      operation: gql`mutation replaceStock(
        $petId: Int64!, $update: InventoryUpdate!, $status: PetStatus, $expectedVersion: [Int64!]
      ) {
        replaceStock(petId: $petId, update: $update, status: $status, expectedVersion: $expectedVersion) {
          ...InventoryItem began
        }
      } ${item.fragment}`,
      readOnly: ['status'],
      reply: replacedOrCreated('/store/inventory/{petId}'),
    }),
    route('DELETE', '/store/inventory/{petId}', item.delete('stopTracking')),
  ],
  examples: {
    InventoryItem: { petId: 12, quantity: 5, status: 'available' },
    InventoryUpdate: { quantity: 5 },
  },
  tags: { Store: { Inventory: 'The stock of animals.' } },
  plurals: { listInventory: 'InventoryItems' },
};
