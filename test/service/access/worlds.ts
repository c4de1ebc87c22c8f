import type { TestApp } from '../../support/app.ts';

/** One of the two sets of stored rows. */
type World = 0 | 1;

/** The tables that are emptied and filled; those whose ids the database assigns come first. */
const NUMBERED = ['categories', 'pets', 'orders', 'webhooks', 'deliveries'];
const TABLES = [...NUMBERED, 'inventory', 'idempotency_keys'];

/** An id that no row has. */
export const NOWHERE = 999;

/**
 * Empties the database and fills it. Both worlds have rows under the same ids but with different contents, except for
 * category 102, pet 206, order 304, webhook 402, and the inventory entry of pet 208 (with the pet's status and version, which it
 * shows): the changes that succeed use these rows.
 */
export async function fill({ database }: TestApp, world: World): Promise<void> {
  const either = (...values: readonly [string | number, string | number]) => values[world];
  const statements = [
    // Row by row, and without the triggers that record changes: to truncate tables costs several times as much.
    'set local session_replication_role = replica',
    ...TABLES.map((table) => `delete from ${table}`),
    'set local session_replication_role = origin',
    `select ${NUMBERED.map((table) => `setval(pg_get_serial_sequence('${table}', 'id'), 1, false)`)}`,
    `insert into categories (id, name, description, version) values
      (101, '${either('Dogs', 'Cats')}', '${either('Loyal.', 'Proud.')}', ${either(3, 8)}),
      (102, 'Fish', null, 2),
      (103, '${either('Birds', 'Horses')}', null, ${either(5, 1)})`,
    `insert into pets (id, name, category_id, status, version) values
      (201, '${either('Ada', 'Bob')}', ${either(101, 103)}, 'available', ${either(4, 9)}),
      (202, '${either('Cid', 'Dan')}', ${either(103, 101)}, '${either('sold', 'pending')}', ${either(2, 6)}),
      (203, '${either('Eve', 'Fay')}', 101, 'available', ${either(3, 2)}),
      (204, '${either('Gus', 'Hal')}', 101, 'available', ${either(5, 7)}),
      (206, 'Rex', 101, 'available', 2),
      (207, '${either('Ivy', 'Jim')}', ${either(101, 103)}, 'available', ${either(1, 3)}),
      (208, '${either('Kim', 'Leo')}', ${either(103, 101)}, 'available', 1)`,
    `insert into inventory (pet_id, quantity, open_orders, version) values
      (201, ${either(2, 1)}, 1, ${either(3, 5)}),
      (202, ${either(4, 7)}, ${either(1, 3)}, ${either(2, 4)}),
      (203, ${either(2147483647, 2147483640)}, 1, ${either(6, 2)}),
      (204, ${either('null', 5)}, 0, ${either(1, 2)}),
      (206, ${either(3, 9)}, 0, ${either(1, 4)}),
      (207, ${either(10, 20)}, 1, ${either(2, 7)}),
      (208, 5, ${either(0, 2)}, 1)`,
    `insert into orders (id, pet_id, quantity, complete, version) values
      (301, ${either(201, 202)}, ${either(1, 2)}, false, ${either(3, 6)}),
      (302, ${either(202, 201)}, ${either(1, 5)}, true, ${either(2, 4)}),
      (303, 203, ${either(100, 200)}, false, ${either(1, 3)}),
      (304, 207, 1, false, 1),
      (305, 202, ${either(2, 3)}, true, 1)`,
    `insert into webhooks (id, url, types, secret, position, created_at, version) values
      (401, '${either('https://one.example/', 'https://other.example/')}', ${either("'pet.created'", 'null')}, 'whsec_', 0, '2026-11-25', ${either(3, 8)}),
      (402, 'https://shop.example/', null, 'whsec_', 0, '2026-11-25', 2)`,
    // One world has more rows of each kind.
    ...(world === 0
      ? []
      : [
          `insert into pets (id, name, category_id) values (205, 'Max', 101)`,
          `insert into orders (id, pet_id, quantity) values (306, 202, 4), (307, 202, 1), (308, 208, 1), (309, 208, 2)`,
        ]),
  ];
  await database.transaction(async (query) => {
    for (const statement of statements) await query(statement, []);
  });
}
