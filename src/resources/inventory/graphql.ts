import { integerFrom } from '../../graphql/bounds.ts';
import { builder } from '../../graphql/builder.ts';
import { connectionTo, pagingArgs } from '../../graphql/connection.ts';
import { reference } from '../../graphql/reference.ts';
import { expectedVersion, rowVersion } from '../../graphql/version.ts';
import { beta, experimental } from '../../lifecycle/mark.ts';
import { PetStatus, PetType } from '../pets/graphql.ts';
import type { Pet } from '../pets/table.ts';
import { inventoryList } from './list.ts';
import { entryVersion, type InventoryItem, type InventoryStore } from './store.ts';

declare module '../../graphql/context.ts' {
  interface Context {
    readonly inventory: InventoryStore;
  }
}

const InventoryItemType = builder.objectRef<InventoryItem>('InventoryItem').implement({
  description: "The stock of one animal. While a pet has an entry, its stock is counted and sets the pet's status.",
  fields: (t) => ({
    petId: t.expose('petId', { type: 'Int64', description: 'Identifier of the animal the entry tracks.' }),
    quantity: t.exposeInt('quantity', { description: 'Current stock count: what is left beside all orders.' }),
    status: t.expose('status', { type: PetStatus, description: "Status of the animal: the pet's own." }),
    version: t.field({ ...rowVersion, resolve: entryVersion }),
    began: t.boolean({
      description: 'Whether the tracking began with the `replaceStock` that this is the answer to; false elsewhere.',
      resolve: (item) => item.began ?? false,
    }),
    pet: t.field({
      type: PetType,
      nullable: true,
      description: 'The animal; null only when it goes while the answer is made.',
      ...reference(
        (item: InventoryItem) => item.petId,
        ({ pets }) => pets.byId,
      ),
    }),
  }),
});

const InventoryItemConnection = connectionTo(InventoryItemType, 'inventory entries', inventoryList);

builder.objectField(PetType, 'inventory', (t) =>
  t.field({
    type: InventoryItemType,
    nullable: true,
    description: 'The stock of the pet; null when it is not counted.',
    ...reference(
      (pet: Pet) => pet.id,
      ({ inventory }) => inventory.byPetId,
    ),
  }),
);

const InventoryUpdate = builder.inputType('InventoryUpdate', {
  description: 'A new stock count.',
  fields: (t) => ({
    quantity: t.int({
      required: true,
      bounds: integerFrom(0, 2_147_483_647),
      description: 'The new stock count: what is left beside all orders that are placed.',
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
    description: 'Get the inventory entry of a pet that is counted.',
    args: petId,
    resolve: (_, { petId: id }, { inventory }) => inventory.byPetId.one(id),
  }),
  inventory: t.field({
    type: InventoryItemConnection,
    description: 'List inventory entries, in the order of their pet ids.',
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
    description: 'Begin to count the stock of a pet, or replace its count. A pet that is not counted has version 0.',
    args: {
      ...petId,
      update: t.arg({ type: InventoryUpdate, required: true, description: 'The new count.' }),
      status: t.arg({
        type: PetStatus,
        description:
          "The pet's status of now, as it was read; another one is an error, as stock movements alone set it here.",
      }),
      ...expectedVersion,
    },
    resolve: (_, { petId: id, update, status, expectedVersion: expected }, { inventory }) =>
      inventory.replaceStock(id, update.quantity, status, expected),
  }),
  stopTracking: t.field({
    type: InventoryItemType,
    scope: 'stock:write',
    lifecycle: experimental(),
    description: 'Stop counting the stock of a pet; its orders are then accepted whatever their quantity.',
    args: { ...petId, ...expectedVersion },
    resolve: (_, { petId: id, expectedVersion: expected }, { inventory }) => inventory.stopTracking(id, expected),
  }),
}));
