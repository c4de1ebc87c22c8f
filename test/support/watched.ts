import { Database } from '../../src/db/client.ts';
import type { Parameter, RawRow } from '../../src/db/driver.ts';

/** A statement on its way to the database. */
export interface Sent {
  readonly text: string;
  readonly parameters: readonly Parameter[];
}

/** Takes the place of each statement: it may look at it, and has to run it. */
export type Watch = (sent: Sent, run: () => Promise<readonly RawRow[]>) => Promise<readonly RawRow[]>;

/**
 * The same database, but for the watch that stands before it, also in transactions. Each other statement is a transaction
 * of its own, as before.
 */
export function watched(database: Database, watch: Watch): Database {
  return new Database(
    {
      kind: database.kind,
      query: (text, parameters) =>
        watch({ text, parameters }, () => database.transaction((query) => query(text, parameters))),
      transaction: (work) =>
        database.transaction((query) =>
          work((text, parameters) => watch({ text, parameters }, () => query(text, parameters))),
        ),
      close: () => database.close(),
    },
    database.probe,
  );
}
