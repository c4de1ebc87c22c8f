import { sql } from 'drizzle-orm';
import { beta, type EventSource, integerFrom, reference, rowVersion } from '../../engine/index.ts';
import { PetType } from '../pets/graphql.ts';
import { builder, expectedVersion, pagingArgs, readFields } from '../schema.ts';
import { orderList } from './list.ts';
import type { orderStore } from './store.ts';
import { type Order, orders } from './table.ts';

declare module '../../engine/schema/context.ts' {
  interface Context {
    readonly orders: ReturnType<typeof orderStore>;
  }
}

const quantity = integerFrom(1, 2_147_483_647);

const OrderType = builder.objectRef<Order>('Order').implement({
  description: 'An order for a quantity of a pet. Without a pet it is a draft and does not affect stock.',
  fields: (t) => ({
    id: t.expose('id', { type: 'Int64', description: 'Unique order identifier.' }),
    petId: t.expose('petId', {
      type: 'Int64',
      nullable: true,
      description: 'Identifier of the animal in the order.',
    }),
    quantity: t.exposeInt('quantity', { description: 'Number of units ordered.' }),
    shipDate: t.expose('shipDate', {
      type: 'DateTime',
      nullable: true,
      description: 'Expected or actual ship date, in UTC.',
    }),
    complete: t.exposeBoolean('complete', { description: 'Whether the order has been fulfilled.' }),
    version: t.expose('version', rowVersion),
    pet: t.field({
      type: PetType,
      nullable: true,
      description: 'The animal in the order. Null for a draft, and in an event if it was deleted later.',
      ...reference('pet', 'petId', ({ pets }) => pets.byId),
    }),
  }),
});

const reads = readFields(OrderType, {
  one: 'order',
  many: 'orders',
  list: orderList,
  sorts: {
    shipDate: 'By ship date, earliest first; orders without one last.',
    shipDate_desc: 'By ship date, latest first; orders without one last.',
  },
  store: ({ orders }) => orders,
});

builder.objectField(PetType, 'orders', (t) =>
  t.field({
    type: reads.connection,
    description: 'The orders for the pet, sorted by id.',
    args: pagingArgs,
    resolve: (pet, window, { orders }) => orders.listOfPet(pet.id, window),
  }),
);

const NewOrder = builder.inputType('NewOrder', {
  description: 'A new order. Each field may be left out, but must not be null.',
  fields: (t) => ({
    petId: t.field({
      type: 'Int64',
      description: 'Identifier of the animal to order. Without it the order is a draft.',
    }),
    quantity: t.int({ bounds: quantity, defaultValue: 1, description: 'Number of units to order.' }),
    shipDate: t.field({ type: 'DateTime', description: 'Expected or actual ship date.' }),
    complete: t.boolean({ defaultValue: false, description: 'Whether the order is already fulfilled.' }),
  }),
});

const OrderChanges = builder.inputType('OrderChanges', {
  description:
    'Changes to an order. Fields that are left out stay as they are; null is only for those that it removes. The pet cannot be changed.',
  fields: (t) => ({
    quantity: t.int({
      bounds: quantity,
      description: 'Number of units. The difference is taken from stock, or returned to it.',
    }),
    shipDate: t.field({
      type: 'DateTime',
      nullRemoves: true,
      description: 'Expected or actual ship date. Null removes it.',
    }),
    complete: t.boolean({
      description: 'Whether the order has been fulfilled. A complete order cannot be changed or cancelled.',
    }),
  }),
});

builder.queryFields((t) => ({
  order: t.field(reads.byId),
  orders: t.field(
    reads.list({
      petId: t.arg({ type: ['Int64'], description: 'Only orders for one of these pets.' }),
      complete: t.arg.boolean({ description: 'Only orders that are complete, or only those that are not.' }),
      shipDateFrom: t.arg({ type: 'DateTime', description: 'Only orders with this ship date or a later one.' }),
      shipDateTo: t.arg({ type: 'DateTime', description: 'Only orders with an earlier ship date than this.' }),
    }),
  ),
}));

builder.mutationFields((t) => ({
  placeOrder: t.field({
    type: OrderType,
    scope: 'orders:write',
    description:
      'Place an order. The pet must be available. If its stock is tracked, the quantity is taken from it; if too little is left, the order is rejected.',
    args: { order: t.arg({ type: NewOrder, required: true, description: 'The new order.' }) },
    resolve: (_, { order }, { orders, requestId }) => orders.place(order, requestId),
  }),
  updateOrder: t.field({
    type: OrderType,
    scope: 'orders:write',
    lifecycle: beta(),
    description: 'Change an order that is not complete. Fields that are left out stay as they are.',
    args: {
      ...reads.byId.args,
      changes: t.arg({ type: OrderChanges, required: true, description: 'The changes.' }),
      ...expectedVersion,
    },
    resolve: (_, { orderId: id, changes, expectedVersion: expected }, { orders, requestId }) =>
      orders.update(id, changes, expected, requestId),
  }),
  cancelOrder: t.field({
    type: OrderType,
    scope: 'orders:write',
    description: 'Cancel an order that is not complete. It is deleted, and its quantity returns to stock.',
    args: { ...reads.byId.args, ...expectedVersion },
    resolve: (_, { orderId: id, expectedVersion: expected }, { orders, requestId }) =>
      orders.cancel(id, expected, requestId),
  }),
}));

export const orderEvents: EventSource = {
  list: orderList,
  type: OrderType,
  // A statement that places many orders knows their pets and not their ids; it places no drafts, which have no pet.
  requestKey: sql`coalesce(${orders.petId}, -${orders.id})`,
  created: { name: 'order.placed', description: 'An order was placed.' },
  updated: [
    {
      name: 'order.completed',
      description:
        'An order was completed; other fields may have changed with it. One that is complete when it is placed has only `order.placed`.',
      when: sql`${orders.complete} and not before.complete`,
    },
    { name: 'order.updated', description: 'The quantity or the ship date of an order was changed.' },
  ],
  deleted: { name: 'order.cancelled', description: 'An order was cancelled.' },
};
