import { getTableColumns, sql } from 'drizzle-orm';
import type { ListPlan, Sort } from '../../engine/db/paging.ts';
import type { Int64 } from '../../engine/index.ts';
import { type Order, orders } from './table.ts';

export interface OrderFilters {
  readonly id?: readonly Int64[] | null | undefined;
  readonly petId?: readonly Int64[] | null | undefined;
  readonly complete?: boolean | null | undefined;
  /** On or after this instant. */
  readonly shipDateFrom?: Date | null | undefined;
  /** Before this instant. */
  readonly shipDateTo?: Date | null | undefined;
}

export type OrderSort = 'id' | 'id_desc' | 'shipDate' | 'shipDate_desc';

/** The ship date as the index has it: an order without one comes after all others. */
const dated = sql`coalesce(${orders.shipDate}, 'infinity')`;

/** The list of orders. */
export const orderList: ListPlan<typeof orders._.columns, keyof OrderFilters, OrderSort> = {
  name: 'orders',
  columns: getTableColumns(orders),
  from: sql`${orders}`,
  tables: [orders],
  id: orders.id,
  idOf: (order) => order.id,
  filters: {
    id: { column: orders.id, values: sql`${sql.placeholder('id')}::bigint[]` },
    petId: { column: orders.petId, values: sql`${sql.placeholder('petId')}::bigint[]` },
    complete: { column: orders.complete, values: sql`array[${sql.placeholder('complete')}::boolean]` },
    shipDateFrom: {
      condition: sql`${dated} >= ${sql.placeholder('shipDateFrom')}::timestamptz and ${dated} < 'infinity'`,
      sorts: ['shipDate'],
    },
    shipDateTo: { condition: sql`${dated} < ${sql.placeholder('shipDateTo')}::timestamptz`, sorts: ['shipDate'] },
  },
  sorts: {
    id: { descending: false },
    id_desc: { descending: true },
    shipDate: shipDateSort('infinity'),
    shipDate_desc: shipDateSort('-infinity'),
  },
};

/** Sorts orders without a ship date last: each direction has its stand-in for the missing date. */
function shipDateSort(standIn: 'infinity' | '-infinity'): Sort<Order> {
  return {
    descending: standIn === '-infinity',
    by: {
      expression: sql`coalesce(${orders.shipDate}, ${sql.raw(`'${standIn}'`)})`,
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
