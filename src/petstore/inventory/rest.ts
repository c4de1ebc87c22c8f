import {
  gql,
  noContent,
  ok,
  page,
  pagingParameters,
  type Resource,
  type Route,
  replacedOrCreated,
  route,
} from '../../engine/index.ts';
import './graphql.ts';
import { inventoryStore } from './store.ts';

const InventoryItem = 'fragment InventoryItem on InventoryItem { petId quantity status }';
const tag = 'Inventory';

const routes: readonly Route[] = [
  route('GET', '/store/inventory', {
    tag,
    operation: gql`query listInventory($petId: [Int64!], $status: [PetStatus!], $limit: Int = 20, $after: String) {
      inventory(petId: $petId, status: $status, first: $limit, after: $after) {
        nodes { ...InventoryItem } pageInfo { hasNextPage endCursor }
      }
    } ${InventoryItem}`,
    reply: page(),
    parameters: pagingParameters,
  }),
  route('GET', '/store/inventory/{petId}', {
    tag,
    operation: gql`query getInventoryItem($petId: Int64!) {
      inventoryItem(petId: $petId) { ...InventoryItem version }
    } ${InventoryItem}`,
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
    } ${InventoryItem}`,
    readOnly: ['status'],
    reply: replacedOrCreated('/store/inventory/{petId}'),
  }),
  route('DELETE', '/store/inventory/{petId}', {
    tag,
    operation: gql`mutation stopTracking($petId: Int64!, $expectedVersion: [Int64!]) {
      stopTracking(petId: $petId, expectedVersion: $expectedVersion) { petId }
    }`,
    reply: noContent(),
  }),
];

const examples = {
  InventoryItem: { petId: 12, quantity: 5, status: 'available' },
  InventoryItems: [{ petId: 12, quantity: 5, status: 'available' }],
  InventoryUpdate: { quantity: 5 },
};

export const inventoryResource: Resource = {
  stores: (database) => ({ inventory: inventoryStore(database) }),
  routes,
  examples,
  tags: { Store: { Inventory: 'The stock of animals.' } },
  plurals: { listInventory: 'InventoryItems' },
};
