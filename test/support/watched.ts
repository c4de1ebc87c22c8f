import { Database } from '../../src/engine/db/client.ts';
import type { Parameter, Query, RawRow, StatementKind } from '../../src/engine/db/driver.ts';

/** A statement for the database. */
export interface Sent {
  readonly text: string;
  readonly parameters: readonly Parameter[];
  /** Undefined in a transaction. */
  readonly kind?: StatementKind;
}

/** Called for each statement, which it has to run. The statements of a transaction come one after another. */
type Watch = (
  sent: Sent,
  run: () => Promise<readonly RawRow[]>,
  /** Runs a query in the statement's transaction, if there is one. */
  own?: Query,
) => Promise<readonly RawRow[]>;

/**
 * The same database, with the watch before each statement, also in transactions. Each other statement is a transaction
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
