import { rowsOf } from '../../support/admin.ts';
import { STOCK } from '../data/size.ts';

/**
 * Reads the database before the requests, and compares it with the responses afterwards.
 *
 * @returns a function to call after all contestants have stopped, with the number of responses and the maximum number
 *   of requests that were cut off and may have been executed; rejects if the rows do not match
 */
export type Audit = (url: string) => Promise<(answered: number, cutOff: number) => Promise<void>>;

interface Stock {
  readonly orders: number;
  readonly ordered: number;
  readonly taken: number;
  readonly open: number;
}

/** Each created pet is stored. */
export const noPetLost: Audit = async (url) => {
  const count = () => rowOf<{ count: number }>(url, 'select count(*)::float8 as count from pets');
  const before = await count();
  return async (answered, cutOff) => {
    assertCount('pets', (await count()).count - before.count, answered, cutOff);
  };
};

/** Each placed order is stored, and the stock has decreased by exactly the quantities. */
export const noOrderLostNorOversold: Audit = async (url) => {
  const look = () =>
    rowOf<Stock>(
      url,
      `select orders, ordered, taken, open from
        (select count(*)::float8 as orders, sum(quantity)::float8 as ordered from orders) as placed,
        (select sum(${STOCK} - quantity)::float8 as taken, sum(open_orders)::float8 as open from inventory) as stock`,
    );
  const before = await look();
  return async (answered, cutOff) => {
    const after = await look();
    const [orders, ordered] = [after.orders - before.orders, after.ordered - before.ordered];
    const [taken, open] = [after.taken - before.taken, after.open - before.open];
    assertCount('orders', orders, answered, cutOff);
    if (taken !== ordered) throw new Error(`${ordered} were ordered, but ${taken} were taken from the stock.`);
    if (open !== orders) throw new Error(`${orders} orders are open, but ${open} were counted as open.`);
  };
};

function assertCount(what: string, found: number, answered: number, cutOff: number): void {
  if (found >= answered && found <= answered + cutOff) return;
  const most = `${answered} ${what} were answered as created, and up to ${cutOff} more were cut off`;
  throw new Error(`${most}; but the database has ${found} more than before.`);
}

async function rowOf<Row extends object>(url: string, statement: string): Promise<Row> {
  return (await rowsOf<Row>(url, statement))[0] as Row;
}
