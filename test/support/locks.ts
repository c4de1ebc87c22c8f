import { setTimeout as sleep } from 'node:timers/promises';
import type { Query } from '../../src/engine/db/driver.ts';
import { databaseKind } from './database.ts';

/** How long what is sent in this process takes to get in line for the embedded database, in milliseconds. */
const IN_LINE = 20;

/**
 * Resolves, in a transaction of the test, when so many statements of others have waited in its database for a lock.
 *
 * @param long for how long: a write that is not in a transaction is soon sent again on another connection, and must not
 *   be so after the end of this transaction
 */
export async function untilOthersWait(query: Query, count = 1, long = '200 ms'): Promise<void> {
  // It runs one transaction at a time: the others wait for the end of this one.
  if (databaseKind === 'embedded') return sleep(IN_LINE);
  // On the server, where the tests' processes do not slow it down: others give up waiting after half a second.
  await query(
    `do $$ begin
      for n in 1..5000 loop
        if ${count} <= (
          select count(*) from pg_locks join pg_stat_activity using (pid)
          where datname = current_database() and clock_timestamp() - waitstart >= '${long}') then return;
        end if;
        perform pg_sleep(0.002), pg_stat_clear_snapshot();
      end loop;
      raise 'Nothing waits for a lock.';
    end $$`,
    [],
  );
}
