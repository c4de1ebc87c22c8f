import postgres from 'postgres';
import { openDatabase } from '../../../src/engine/db/client.ts';
import { migrateDatabase } from '../../../src/engine/db/migrate.ts';
import { CATEGORIES, type DataSize, STOCK } from './size.ts';

const NAMES =
  'Ada Bella Charlie Daisy Echo Fern Gizmo Hazel Iris Juno Kiki Luna Milo Nova Otis Pip Rex Simba Tux Ziggy';
const TABLES = ['categories', 'pets', 'inventory', 'orders'];

/** Migrates the empty database, and fills it with that much data. */
export async function loadData(url: string, size: DataSize): Promise<void> {
  const database = await openDatabase({ timeout: 10_000, url, folder: '' });
  await migrateDatabase(database).finally(() => database.close());
  const client = postgres(url, { max: 1, onnotice: () => {} });
  try {
    await client.unsafe("set synchronous_commit = off; set maintenance_work_mem = '1GB'; set work_mem = '256MB'");
    await withoutIndexes(client, () => fill(client, size));
    await client.unsafe('vacuum analyze');
    await client.unsafe('checkpoint');
  } finally {
    await client.end({ timeout: 5 });
  }
}

/** Uses one statement for all rows of a table. */
async function fill(client: postgres.Sql, { pets, orders }: DataSize): Promise<void> {
  const names = `'{${NAMES.replaceAll(' ', ',')}}'::text[]`;
  const statements = [
    `insert into categories (id, name, description)
      select n, 'Kind ' || n, 'Animals of kind ' || n || '.' from generate_series(1, ${CATEGORIES}) as n`,
    `insert into pets (id, name, category_id, status)
      select n, (${names})[1 + (n * 37 + n / 131) % 20], 1 + (n * 7 + n / 12) % ${CATEGORIES}, 'available'
      from generate_series(1, ${pets}) as n`,
    `insert into orders (id, pet_id, quantity, ship_date, complete)
      select n, case when n % 20 > 0 then 1 + n::bigint * 7919 % ${pets} end, 1 + n % 3,
        case when n % 4 > 0 then timestamptz '2026-01-01T08:00:00Z' + make_interval(days => n % 365) end, n % 2 = 0
      from generate_series(1, ${orders}) as n`,
    `insert into inventory (pet_id, quantity, open_orders)
      select pets.id, ${STOCK}, coalesce(open.orders, 0) from pets
      left join (select pet_id, count(*) as orders from orders where not complete group by pet_id) as open
        on open.pet_id = pets.id
      order by pets.id`,
    ...['categories', 'pets', 'orders'].map(
      (table) => `select setval(pg_get_serial_sequence('${table}', 'id'), (select max(id) from ${table}))`,
    ),
  ];
  for (const statement of statements) await client.unsafe(statement);
}

/** Inserting millions of rows is several times as fast without indexes and foreign keys. */
async function withoutIndexes(client: postgres.Sql, work: () => Promise<void>): Promise<void> {
  const foreignKeys = await client`
    select conrelid::regclass::text as table, conname as name, pg_get_constraintdef(oid) as definition
    from pg_constraint where contype = 'f' and conrelid = any(${TABLES}::regclass[])`;
  const indexes = await client`
    select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
    from pg_index where not indisprimary and indrelid = any(${TABLES}::regclass[])`;
  for (const { table, name } of foreignKeys) await client.unsafe(`alter table ${table} drop constraint "${name}"`);
  for (const { name } of indexes) await client.unsafe(`drop index ${name}`);
  await work();
  for (const { definition } of indexes) await client.unsafe(definition);
  for (const { table, name, definition } of foreignKeys) {
    await client.unsafe(`alter table ${table} add constraint "${name}" ${definition}`);
  }
}
