import { sql } from 'drizzle-orm';
import type { EventSource } from '../../engine/index.ts';
import { OrderType } from './graphql.ts';
import { orderList } from './list.ts';
import { orders } from './table.ts';

export const orderEvents: EventSource = {
  list: orderList,
  type: OrderType,
  requestKey: orders.petId,
  created: { name: 'order.placed', description: 'An order was placed.' },
  updated: [
    {
      name: 'order.completed',
      description: 'An order was completed.',
      when: sql`${orders.complete} and not before.complete`,
    },
    { name: 'order.updated', description: 'The quantity or the ship date of an order was changed.' },
  ],
  deleted: { name: 'order.cancelled', description: 'An order was cancelled.' },
};
