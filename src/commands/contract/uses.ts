import { sql } from 'drizzle-orm';
import type { Database } from '../../db/client.ts';
import { integer } from '../../db/row.ts';
import type { Use } from '../../lifecycle/contract/report.ts';
import { addDays } from '../../lifecycle/mark.ts';
import { WINDOW_DAYS } from '../../lifecycle/report.ts';
import { lifecycleUses } from '../../resources/lifecycle/table.ts';

/** Who used the coordinates in the last 30 days, `today` among them; those who did most come first. */
export async function recentUses(database: Database, coordinates: readonly string[], today: string): Promise<Use[]> {
  const statement = database.statement(
    'contract.recentUses',
    'count',
    sql`select coordinate, client, sum(uses), max(day)::text from ${lifecycleUses}
      where coordinate = any(${sql.placeholder('coordinates')}::text[])
        and day > ${sql.placeholder('before')}::date
      group by coordinate, client order by sum(uses) desc, client`,
    { coordinate: lifecycleUses.coordinate, client: lifecycleUses.client, uses: integer, lastDay: { decode: String } },
  );
  return statement({ coordinates, before: addDays(today, -WINDOW_DAYS) });
}
