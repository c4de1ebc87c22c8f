import { beta, type EventSource, experimental, integerFrom, reference, rowVersion } from '../../engine/index.ts';
import { PetStatus, PetType } from '../pets/graphql.ts';
import { builder, connectionTo, expectedVersion, pagingArgs } from '../schema.ts';
import { entryVersion, type InventoryItem, inventoryList, type inventoryStore } from './store.ts';

declare module '../../engine/schema/context.ts' {
  interface Context {
    readonly inventory: ReturnType<typeof inventoryStore>;
  }
}

const InventoryItemType = builder.objectRef<InventoryItem>('InventoryItem').implement({
  description:
    "The stock of one animal. While a pet has an entry, its stock is tracked and determines the pet's status.",
  fields: (t) => ({
    petId: t.expose('petId', { type: 'Int64', description: 'Identifier of the animal the entry tracks.' }),
    quantity: t.exposeInt('quantity', { description: 'Current stock: what is left after all orders.' }),
    status: t.expose('status', { type: PetStatus, description: 'Status of the animal.' }),
    version: t.field({
      ...rowVersion,
      description: 'The version of the entry. Each change of it or of its pet raises it.',
      resolve: entryVersion,
    }),
    began: t.boolean({
      description: 'Whether this `replaceStock` created the entry; false in other responses.',
      resolve: (item) => item.began ?? false,
    }),
    pet: t.field({
      type: PetType,
      nullable: true,
      description: 'The animal. Null only if it was deleted later than the entry was read, as in an old event.',
      ...reference('pet', 'petId', ({ pets }) => pets.byId),
    }),
  }),
});

const InventoryItemConnection = connectionTo(InventoryItemType, 'inventory entries', inventoryList);

builder.objectField(PetType, 'inventory', (t) =>
  t.field({
    type: InventoryItemType,
    nullable: true,
    description: 'The stock of the pet. Null if it is not tracked.',
    ...reference('inventory', 'id', ({ inventory }) => inventory.byPetId),
  }),
);

const InventoryUpdate = builder.inputType('InventoryUpdate', {
  description: 'A new stock.',
  fields: (t) => ({
    quantity: t.int({
      required: true,
      bounds: integerFrom(0, 2_147_483_647),
      description: 'The new stock: what is left after all orders.',
    }),
  }),
});

const petId = builder.args((t) => ({
  petId: t.field({ type: 'Int64', required: true, description: 'Identifier of the animal the entry tracks.' }),
}));

builder.queryFields((t) => ({
  inventoryItem: t.field({
    type: InventoryItemType,
    nullable: true,
    description: 'Get the inventory entry of a pet.',
    args: petId,
    resolve: (_, { petId: id }, { inventory }) => inventory.byPetId.load(id),
  }),
  inventory: t.field({
    type: InventoryItemConnection,
    description: 'List inventory entries, sorted by pet id.',
    args: {
      petId: t.arg({ type: ['Int64'], description: 'Only the entries of these pets.' }),
      status: t.arg({ type: [PetStatus], description: 'Only pets with one of these statuses.' }),
      ...pagingArgs,
    },
    resolve: (_, { petId: ids, status, ...window }, { inventory }) => inventory.list({ petId: ids, status }, window),
  }),
}));

builder.mutationFields((t) => ({
  replaceStock: t.field({
    type: InventoryItemType,
    scope: 'stock:write',
    lifecycle: beta(),
    description:
      'Start to track the stock of a pet, or replace its stock. For a pet that is not tracked, expect version 0 on GraphQL, and send `If-None-Match: *` on REST.',
    args: {
      ...petId,
      update: t.arg({ type: InventoryUpdate, required: true, description: 'The new stock.' }),
      status: t.arg({
        type: PetStatus,
        description:
          "The pet's current status, as a GET returns it. Another status is an error, because the stock determines it.",
      }),
      ...expectedVersion,
    },
    resolve: (_, { update, ...given }, { inventory, requestId }) =>
      inventory.replaceStock({ requestId, ...given, ...update }),
  }),
  stopTracking: t.field({
    type: InventoryItemType,
    scope: 'stock:write',
    lifecycle: experimental(),
    description:
      'Stop tracking the stock of a pet. While the pet is available, orders of any quantity are then accepted.',
    args: { ...petId, ...expectedVersion },
    resolve: (_, { petId: id, expectedVersion: expected }, { inventory, requestId }) =>
      inventory.stopTracking(id, expected, requestId),
  }),
}));

/** An entry of a deleted pet goes with it, and has no event of its own. */
export const inventoryEvents: EventSource = {
  list: inventoryList,
  type: InventoryItemType,
  created: { name: 'inventory.counted', description: 'The stock of a pet is tracked from now on.' },
  updated: [{ name: 'inventory.changed', description: 'The stock of a pet has changed, by an order or a new count.' }],
  deleted: {
    name: 'inventory.stopped',
    description: 'The stock of a pet is no longer tracked. When the pet is deleted, there is only `pet.deleted`.',
  },
};
