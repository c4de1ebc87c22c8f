import { batchWrites, writtenItems } from '../../engine/db/batch.ts';
import type { Database } from '../../engine/db/client.ts';
import { byId, nestedPages, pages } from '../../engine/db/paging.ts';
import { type ExpectedVersion, hasExpectedVersion, versionMismatch } from '../../engine/db/version.ts';
import { OUT_OF_RANGE, translateViolations } from '../../engine/db/violations.ts';
import { type Int64, ServiceError } from '../../engine/index.ts';
import { NOT_AVAILABLE, ORDER_COMPLETE, OUT_OF_STOCK } from '../errors.ts';
import { inventoryList } from '../inventory/store.ts';
import type { PetStatus } from '../pets/table.ts';
import { orderList } from './list.ts';
import { orderStatements } from './statements.ts';
import { type Order, orders } from './table.ts';

type OrderFields = {
  readonly [Field in 'petId' | 'quantity' | 'shipDate' | 'complete']?: Order[Field] | null | undefined;
};

/** A ship date of null removes it. */
type OrderChanges = Omit<OrderFields, 'petId'>;

interface OrderChange extends OrderChanges {
  readonly id: Int64;
  readonly setsShipDate: boolean;
  readonly expectedVersion: ExpectedVersion;
  readonly requestId: string | undefined;
}

interface PetOrder extends Pick<Order, 'quantity' | 'complete'> {
  readonly petId: Int64;
  readonly shipDate: Date | null | undefined;
  readonly requestId: string | undefined;
}

export function orderStore(database: Database) {
  const { draft, place, placeMany, update, updateMany, cancel } = orderStatements(database);
  const placeForPet = batchWrites<PetOrder, Order>(database, 'orders.place', placeMany, placeAlone);
  const updateOne = batchWrites<OrderChange, Order>(database, 'orders.update', updateMany, updateAlone);
  const rows = byId(database, orderList);
  const stocks = byId(database, inventoryList);

  return {
    byId: rows,

    list: pages(database, orderList),

    listOfPet: nestedPages(database, orderList, orders.petId),

    /**
     * Without a pet an order is a draft, and moves no stock. Rejects with OUT_OF_STOCK, with NOT_AVAILABLE if the pet
     * has another status than `available`, and with UNKNOWN_REFERENCE if no pet has the id.
     */
    async place({ petId, shipDate, ...given }: OrderFields, requestId?: string): Promise<Order> {
      const values = { shipDate, quantity: given.quantity ?? 1, complete: given.complete ?? false, requestId };
      if (petId != null) return placeForPet({ petId, ...values });
      const [drafted] = await draft(values);
      return drafted as Order;
    },

    /**
     * Changes an order. Omitted fields stay as they are; a changed quantity moves the difference in stock. Rejects with
     * ORDER_COMPLETE, NOT_FOUND, OUT_OF_STOCK, and CONFLICT if the stock would exceed its maximum.
     */
    update(id: Int64, changes: OrderChanges, expectedVersion: ExpectedVersion, requestId?: string): Promise<Order> {
      return updateOne({ id, setsShipDate: changes.shipDate !== undefined, expectedVersion, requestId, ...changes });
    },

    /** Returns the stock. Rejects with ORDER_COMPLETE, NOT_FOUND, and CONFLICT as `update` does. */
    async cancel(orderId: Int64, expectedVersion: ExpectedVersion, requestId?: string): Promise<Order> {
      const readOpenOrder = database.bind(openOrder);
      const [cancelled] = await translateViolations(cancel({ id: orderId, expectedVersion, requestId }), stockTooLarge);
      if (cancelled !== undefined) return cancelled;
      throw versionMismatch(`Order ${orderId}`, await readOpenOrder(orderId, expectedVersion), expectedVersion);
    },
  };

  async function placeAlone(order: PetOrder): Promise<Order> {
    const placeAgain = database.bind(placeAlone);
    const [found] = await place({ ...order });
    if (found === undefined)
      throw new ServiceError('UNKNOWN_REFERENCE', `petId ${order.petId} is not the id of a pet.`);
    const { petStatus, statusBefore, stockLeft: left, ...placed } = found;
    // Only the ship date of an order can be null. The other columns are nullable because of the join.
    if (placed.id !== null) return placed;
    if (left !== null && left < order.quantity) throw outOfStock(order.petId, left, order.quantity);
    // Another statement may have created the pet's inventory row while this one waited for a lock, which has changed the
    // status too if nothing is in stock: only a new statement sees the row.
    if (petStatus !== 'available' && (left !== null || petStatus === statusBefore))
      throw notAvailable(order.petId, petStatus);
    return placeAgain(order);
  }

  async function updateAlone(change: OrderChange): Promise<Order> {
    const { id: orderId, expectedVersion } = change;
    const readOpenOrder = database.bind(openOrder);
    const readStock = database.bind(stocks.load);
    const [updated] = await translateViolations(update({ id: orderId, rows: writtenItems([change]) }), stockTooLarge);
    if (updated !== undefined) return updated;
    const order = await readOpenOrder(orderId, expectedVersion);
    const wanted = change.quantity ?? 0;
    const stock = order.petId === null ? undefined : await readStock(order.petId);
    if (stock === undefined || wanted - order.quantity <= stock.quantity)
      throw versionMismatch(`Order ${orderId}`, order, expectedVersion);
    throw outOfStock(stock.petId, stock.quantity, wanted, order.quantity);
  }

  /** Throws the error of a change that found no order to change. */
  async function openOrder(orderId: Int64, expectedVersion: ExpectedVersion): Promise<Order> {
    const order = await rows.load(orderId);
    if (order === undefined) throw new ServiceError('NOT_FOUND', `No order has the id ${orderId}.`);
    if (!hasExpectedVersion(order, expectedVersion)) throw versionMismatch(`Order ${orderId}`, order, expectedVersion);
    if (order.complete) {
      throw new ServiceError(ORDER_COMPLETE, `Order ${orderId} is complete and cannot be changed or cancelled.`);
    }
    return order;
  }
}

/**
 * The message does not name the pet: the caller may have no permission to read which one the order is for.
 *
 * @param ordered what the order has already, if it is changed
 */
function outOfStock(pet: Int64, left: number, requested: number, ordered?: number): ServiceError {
  const besides = ordered === undefined ? '' : `, besides the ${ordered} of this order`;
  return new ServiceError(OUT_OF_STOCK, `Not enough is in stock for a quantity of ${requested}.`, {
    detailedMessage: `Pet ${pet} has ${left} in stock${besides}; the quantity is ${requested}.`,
  });
}

function notAvailable(pet: Int64, status: PetStatus): ServiceError {
  return new ServiceError(NOT_AVAILABLE, 'Only pets with the status available can be ordered.', {
    detailedMessage: `Pet ${pet} is ${status}; only pets with the status available can be ordered.`,
  });
}

function stockTooLarge(state: string): ServiceError | undefined {
  return state === OUT_OF_RANGE
    ? new ServiceError('CONFLICT', 'The stock would exceed its maximum of 2147483647.')
    : undefined;
}
