import { sql } from 'drizzle-orm';
import type { Database } from '../engine/db/client.ts';
import { addDays } from '../engine/lifecycle/annotation.ts';
import { WINDOW_DAYS } from '../engine/lifecycle/report.ts';
import { lifecycleUses } from '../engine/usage/table.ts';

export type Use = Awaited<ReturnType<typeof recentUses>>[number];

/** Which clients used the coordinates in the last 30 days, including today, in UTC; the most frequent first. */
export function recentUses(database: Database, coordinates: readonly string[], today: string) {
  const statement = database.statement(
    'contract.recentUses',
    'count',
    sql`select coordinate, client, sum(uses), max(day)::text from ${lifecycleUses}
      where coordinate = any(${sql.placeholder('coordinates')}::text[])
        and day > ${sql.placeholder('before')}::date
      group by coordinate, client order by sum(uses) desc, client`,
    { coordinate: lifecycleUses.coordinate, client: lifecycleUses.client, uses: Number, lastDay: String },
  );
  return statement({ coordinates, before: addDays(today, -WINDOW_DAYS) });
}
