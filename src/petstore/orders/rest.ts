import { type Resource, route, rowRoutes } from '../../engine/index.ts';
import './graphql.ts';
import { NOT_AVAILABLE, ORDER_COMPLETE, OUT_OF_STOCK } from '../errors.ts';
import { orderStore } from './store.ts';

const order = rowRoutes({ tag: 'Orders', type: 'Order', fields: 'id petId quantity shipDate complete' });

export const orderResource: Resource = {
  stores: (database) => ({ orders: orderStore(database) }),
  routes: [
    route('GET', '/store/orders', {
      ...order.list('orders'),
      noTryItOut: 'the specification of this API turns “Try it out” off for it.',
    }),
    route('POST', '/store/orders', {
      ...order.create('placeOrder', '/store/orders/{id}'),
      errors: [OUT_OF_STOCK, NOT_AVAILABLE, 'UNKNOWN_REFERENCE'],
    }),
    route('GET', '/store/orders/{orderId}', order.byId('order')),
    route('PATCH', '/store/orders/{orderId}', {
      ...order.update('updateOrder'),
      errors: [OUT_OF_STOCK, ORDER_COMPLETE, 'CONFLICT'],
    }),
    route('DELETE', '/store/orders/{orderId}', {
      ...order.delete('cancelOrder'),
      errors: [ORDER_COMPLETE, 'CONFLICT'],
    }),
  ],
  examples: {
    Order: { id: 7, petId: 12, quantity: 1, shipDate: '2026-12-01T09:30:00.000Z', complete: false },
    NewOrder: { petId: 12, quantity: 1, shipDate: '2026-12-01T09:30:00Z' },
    OrderChanges: { complete: true },
  },
  tags: { Store: { Orders: 'Orders for animals.' } },
  // As in the specification, although these always have a value.
  optional: { Order: ['id', 'quantity', 'complete'] },
};
