import { sql } from 'drizzle-orm';
import type { List } from '../../engine/db/keyset.ts';
import { pets } from '../pets/table.ts';
import { inventory } from './table.ts';

const columns = {
  petId: inventory.petId,
  quantity: inventory.quantity,
  status: pets.status,
  version: inventory.version,
  petVersion: pets.version,
};

const from = sql`${inventory} join ${pets} on ${pets.id} = ${inventory.petId}`;

/** The pets whose stock is tracked: so the quantity is never null, although its column is nullable. */
export const inventoryList = {
  name: 'inventory',
  columns,
  from,
  // Every entry has a pet, so only a filter by status needs the join.
  countFrom: (filters) => (filters.includes('status') ? from : sql`${inventory}`),
  tables: [inventory, pets],
  id: inventory.petId,
  joinedId: pets.id,
  idOf: (item) => item.petId,
  where: sql`${inventory.quantity} is not null`,
  filters: {
    petId: { column: inventory.petId, values: sql`${sql.placeholder('petId')}::bigint[]` },
    status: { condition: sql`${pets.status} = any(${sql.placeholder('status')}::pet_status[])` },
  },
  sorts: { id: { descending: false } },
} satisfies List<typeof columns, 'petId' | 'status', 'id'>;
