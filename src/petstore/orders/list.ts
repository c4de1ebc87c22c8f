import { sql } from 'drizzle-orm';
import type { Sort } from '../../engine/db/list.ts';
import { tableList } from '../../engine/db/table-list.ts';
import { type Order, orders } from './table.ts';

/** The ship date as the index has it: an order without one comes after all others. */
const dated = sql`coalesce(${orders.shipDate}, 'infinity')`;

export const orderList = tableList(orders, {
  filters: {
    petId: orders.petId,
    complete: { column: orders.complete, values: sql`array[${sql.placeholder('complete')}::boolean]` },
    shipDateFrom: {
      expression: dated,
      from: sql`${sql.placeholder('shipDateFrom')}::timestamptz`,
      until: sql`timestamptz 'infinity'`,
      sorts: ['shipDate'],
    },
    shipDateTo: { expression: dated, until: sql`${sql.placeholder('shipDateTo')}::timestamptz`, sorts: ['shipDate'] },
  },
  sorts: { shipDate: shipDateSort('infinity'), shipDate_desc: shipDateSort('-infinity') },
});

/** Sorts orders without a ship date last: each direction has its stand-in for the missing date. */
function shipDateSort(standIn: 'infinity' | '-infinity'): Sort<Order> {
  return {
    descending: standIn === '-infinity',
    by: {
      expression: sql`coalesce(${orders.shipDate}, ${standIn})`,
      toComparable: (value) => sql`${value}::timestamptz`,
      valueOf: (order) => order.shipDate?.toISOString() ?? standIn,
      isValue: (text) => text === standIn || isInstant(text),
    },
  };
}

function isInstant(text: string): boolean {
  const instant = new Date(text);
  return !Number.isNaN(instant.getTime()) && instant.toISOString() === text && /^\d{4}-/.test(text) && text >= '0001';
}
