import { Database } from '../../src/engine/db/client.ts';
import type { Kind, Parameter, Query, RawRow } from '../../src/engine/db/driver.ts';

/** A statement on its way to the database. */
export interface Sent {
  readonly text: string;
  readonly parameters: readonly Parameter[];
  /** Undefined in a transaction. */
  readonly kind?: Kind;
}

/** Takes the place of each statement: it may look at it, and has to run it. Those of a transaction come one after another. */
export type Watch = (
  sent: Sent,
  run: () => Promise<readonly RawRow[]>,
  /** Asks in the statement's transaction, where it has one. */
  own?: Query,
) => Promise<readonly RawRow[]>;

/**
 * The same database, but for the watch that stands before it, also in transactions. Each other statement is a transaction
 * of its own, as before.
 */
export function watched(database: Database, watch: Watch): Database {
  return new Database(
    {
      kind: database.kind,
      query: (text, parameters, kind) =>
        watch({ text, parameters, kind }, () => database.transaction((query) => query(text, parameters))),
      transaction: (work) =>
        database.transaction((query) => {
          let last: Promise<unknown> = Promise.resolve();
          const watching: Query = (text, parameters) => {
            const rows = last.then(() => watch({ text, parameters }, () => query(text, parameters), query));
            last = rows.catch(() => {});
            return rows;
          };
          return work(watching, Promise.resolve());
        }),
      close: () => database.close(),
    },
    database.probe,
  );
}
