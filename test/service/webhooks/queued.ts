import { afterAll, beforeEach } from 'vitest';
import { maintenanceStatements } from '../../../src/engine/webhooks/maintenance.ts';
import { deliveryQueue } from '../../../src/engine/webhooks/queue.ts';
import { openTestDatabase, type TestDatabase } from '../../support/database.ts';

export const now = new Date();
export const inAnHour = new Date(now.getTime() + 3_600_000);
/** Which deliveries of the webhook 1 are read. */
export const some = { ids: [1], free: [10], types: ['pet.created'], running: [], now };

/** Has one webhook and four events of two pets before each test of the file. */
export function queued() {
  let opened: TestDatabase | undefined;
  const database = () => (opened as TestDatabase).database;
  const sql = (text: string) => database().transaction((query) => query(text, []));
  afterAll(() => opened?.dispose());
  beforeEach(async () => {
    opened ??= await openTestDatabase();
    await sql('truncate webhooks, deliveries, events restart identity');
    await sql(
      `insert into events (position, time, type, subject, data)
        select n, now(), 'pet.created', 'pets/' || case n when 3 then 2 else 1 end, '{}' from generate_series(1, 4) as n`,
    );
    await sql('update feed set last = 4, deleted = 0');
    await sql(
      "insert into webhooks (url, secret, position, created_at) values ('https://shop.example/', 'whsec_', 0, now())",
    );
  });
  const queueOf = (name: string) => deliveryQueue(database(), name);
  const maintenanceOf = (name: string) => maintenanceStatements(database(), name);
  return { database, sql, queueOf, maintenanceOf, pending };

  /** The positions of the pending deliveries, as they are listed; those that are due in brackets. */
  async function pending(): Promise<string> {
    const rows = await sql(`select position, due_at is not null from deliveries where status = 'pending' order by id`);
    return rows.map(([position, isDue]) => (isDue ? `[${position}]` : position)).join(' ');
  }
}

/** The result of an attempt. */
export const settled = (id: unknown, status: 'delivered' | 'pending' | 'failed') =>
  ({
    ...{ id: id as number, status, attempts: 1, at: now, due: status === 'pending' ? now : null },
    ...{ response: 200, error: null },
  }) as const;
