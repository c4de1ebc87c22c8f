import {
  created,
  gql,
  noContent,
  ok,
  page,
  pagingParameters,
  type Resource,
  type Route,
  route,
} from '../../engine/index.ts';
import './graphql.ts';
import { NOT_AVAILABLE, ORDER_COMPLETE, OUT_OF_STOCK } from '../errors.ts';
import { orderStore } from './store.ts';

const Order = 'fragment Order on Order { id petId quantity shipDate complete }';
const tag = 'Orders';

const routes: readonly Route[] = [
  route('GET', '/store/orders', {
    tag,
    operation: gql`query listOrders(
      $id: [Int64!], $petId: [Int64!], $complete: Boolean, $shipDateFrom: DateTime, $shipDateTo: DateTime,
      $sort: OrderSort = id, $limit: Int = 20, $after: String
    ) {
      orders(
        id: $id, petId: $petId, complete: $complete, shipDateFrom: $shipDateFrom, shipDateTo: $shipDateTo,
        sort: $sort, first: $limit, after: $after
      ) {
        nodes { ...Order } pageInfo { hasNextPage endCursor }
      }
    } ${Order}`,
    reply: page(),
    parameters: pagingParameters,
    noTryItOut: 'the specification of this API switches its trial off.',
  }),
  route('POST', '/store/orders', {
    tag,
    operation: gql`mutation placeOrder($order: NewOrder!) { placeOrder(order: $order) { ...Order version } } ${Order}`,
    reply: created('/store/orders/{id}'),
    errors: [OUT_OF_STOCK, NOT_AVAILABLE, 'UNKNOWN_REFERENCE'],
  }),
  route('GET', '/store/orders/{orderId}', {
    tag,
    operation: gql`query getOrder($orderId: Int64!) { order(orderId: $orderId) { ...Order version } } ${Order}`,
    reply: ok('No order has the id {orderId}.'),
  }),
  route('PATCH', '/store/orders/{orderId}', {
    tag,
    operation: gql`mutation updateOrder($orderId: Int64!, $changes: OrderChanges!, $expectedVersion: [Int64!]) {
      updateOrder(orderId: $orderId, changes: $changes, expectedVersion: $expectedVersion) { ...Order version }
    } ${Order}`,
    reply: ok(),
    errors: [OUT_OF_STOCK, ORDER_COMPLETE, 'CONFLICT'],
  }),
  route('DELETE', '/store/orders/{orderId}', {
    tag,
    operation: gql`mutation cancelOrder($orderId: Int64!, $expectedVersion: [Int64!]) {
      cancelOrder(orderId: $orderId, expectedVersion: $expectedVersion) { id }
    }`,
    reply: noContent(),
    errors: [ORDER_COMPLETE, 'CONFLICT'],
  }),
];

const examples = {
  Order: { id: 7, petId: 12, quantity: 1, shipDate: '2026-12-01T09:30:00.000Z', complete: false },
  Orders: [{ id: 7, petId: 12, quantity: 1, shipDate: '2026-12-01T09:30:00.000Z', complete: false }],
  NewOrder: { petId: 12, quantity: 1, shipDate: '2026-12-01T10:30:00+01:00' },
  OrderChanges: { complete: true },
};

export const orderResource: Resource = {
  stores: (database) => ({ orders: orderStore(database) }),
  routes,
  examples,
  tags: { Store: { Orders: 'Orders for animals.' } },
  plurals: { listOrders: 'Orders' },
  // As in the specification, although these always have a value.
  optional: { Order: ['id', 'quantity', 'complete'] },
};
