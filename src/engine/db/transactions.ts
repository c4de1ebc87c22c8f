import type { Database } from './client.ts';
import { tooSlow } from './failures.ts';
import { type Connection, createPool } from './pool.ts';
import { TransactionQueue } from './transaction-queue.ts';

/** In milliseconds: the rows that a transaction has changed are locked for all others meanwhile. */
const MAX_TRANSACTION_TIME = 2_000;

/** Runs at most `max` transactions at once, in sessions that they reuse, each with what `make` has made for it. */
export function createTransactions<Made>(database: Database, max: number, make: (own: Database) => Made) {
  interface Client {
    readonly made: Made;
    queue: TransactionQueue | undefined;
  }
  const sessions = createPool<Client>(max, { open, close: async () => {} });

  return {
    /**
     * Runs the work in a transaction of its own, with what was made for the session; rolls back when it rejects.
     *
     * @param caller the caller that it works for, if it is one: waiting callers take turns
     * @param latest when it must have ended, including its wait, as a time of `performance.now`
     * @throws {ServiceError} UNAVAILABLE when it had to wait too long, TIMEOUT when it took too long and is rolled back
     */
    run<T>(caller: string | undefined, latest: number, work: (made: Made) => Promise<T>): Promise<T> {
      const inSession = async (connection: Connection<Client>) => {
        const until = Math.min(latest, performance.now() + MAX_TRANSACTION_TIME);
        try {
          return await transact(connection.client, work, until);
        } catch (error) {
          // Work that rejects may still be running, and must not send statements in the next transaction.
          connection.isLost = true;
          throw error;
        }
      };
      return sessions.use(inSession, latest - performance.now(), caller);
    },
  };

  function open(): Client {
    const own = database.inTransaction(async (...statement) => {
      if (client.queue === undefined) throw new Error('The transaction has ended.');
      return client.queue.query(...statement);
    });
    const client: Client = { made: make(own), queue: undefined };
    return client;
  }

  function transact<T>(client: Client, work: (made: Made) => Promise<T>, until: number): Promise<T> {
    const assertInTime = () => {
      if (performance.now() > until) throw tooSlow();
    };
    return database.driver.transaction(async (query, begun) => {
      client.queue = new TransactionQueue(query, begun, assertInTime);
      try {
        const result = await work(client.made);
        assertInTime();
        return result;
      } finally {
        client.queue = undefined;
      }
    }, until);
  }
}
