import type { Database } from './client.ts';
import type { DriverQuery, Query, TransactionWork } from './driver.ts';
import { createPool, type Pooled } from './pool.ts';
import { WAIT_PART } from './pool-kinds.ts';
import { tooSlow } from './violations.ts';

/** In milliseconds: the rows that a transaction has changed are locked for all others meanwhile. */
const MAX_TRANSACTION_TIME = 2_000;

/**
 * Makes the function that runs work in a transaction, which is rolled back if the work rejects. At most `max` run at
 * once, in sessions that they reuse, each with what `make` has made for it.
 */
export function createTransactions<Made>(database: Database, max: number, make: (own: Database) => Made) {
  interface Client extends Pooled {
    readonly made: Made;
    /** Sends the statements of its transaction; undefined without one. */
    query: DriverQuery | undefined;
  }
  const sessions = createPool<Client>(max, { open, close: async () => {} });

  /**
   * @param caller the caller that it works for, if it is one: waiting callers take turns
   * @param latest when it must have ended, including its wait, as a time of `performance.now`
   * @throws {ServiceError} UNAVAILABLE when it had to wait too long, TIMEOUT when it took too long: then it is rolled back, or its commit has no answer
   */
  return <T>(caller: string | undefined, latest: number, work: (made: Made) => Promise<T>): Promise<T> => {
    const inSession = async (client: Client) => {
      const until = Math.min(latest, performance.now() + MAX_TRANSACTION_TIME);
      const assertInTime = () => {
        if (performance.now() > until) throw tooSlow();
      };
      const workInTime: TransactionWork<T> = async (query, begun) => {
        const queryInTime: Query = async (...statement) => {
          assertInTime();
          return query(...statement);
        };
        client.query = inOrder(queryInTime, begun);
        const result = await work(client.made).finally(() => {
          client.query = undefined;
        });
        assertInTime();
        return result;
      };
      try {
        return await database.driver.transaction(workInTime, { until, latest });
      } catch (error) {
        // Work that rejects may still be running, and must not send statements in the next transaction.
        client.isLost = true;
        throw error;
      }
    };
    return sessions.use(inSession, (latest - performance.now()) * WAIT_PART, caller);
  };

  function open(): Client {
    const own = database.inTransaction(async (...statement) => {
      if (client.query === undefined) throw new Error('The transaction has ended.');
      return client.query(...statement);
    });
    const client: Client = { made: make(own), query: undefined, isLost: false };
    return client;
  }
}

/**
 * Sends the statements of a transaction in order: reads at once, and a change after the results of all earlier ones,
 * because it must never run before the transaction has begun. A change that fails is undone on its own; a read that fails
 * fails the transaction, which only happens when the database is too slow or unavailable.
 */
export function inOrder(query: Query, begun: Promise<unknown>): DriverQuery {
  /** All statements so far; rejects when the transaction has failed. */
  let sent = begun;
  /** Resolves when the last change has ended, whether or not it failed. */
  let changed: Promise<unknown> = Promise.resolve();

  return (text, parameters, kind) => (kind === 'write' ? change(text, parameters) : read(text, parameters));

  async function read(...statement: Parameters<Query>): ReturnType<Query> {
    await changed;
    const rows = query(...statement);
    sent = Promise.all([sent, rows]);
    sent.catch(() => {});
    return rows;
  }

  function change(...statement: Parameters<Query>): ReturnType<Query> {
    const changing = changed.then(() => sent).then(() => changeOrUndo(...statement));
    changed = changing.catch(() => {});
    return changing;
  }

  async function changeOrUndo(...statement: Parameters<Query>): ReturnType<Query> {
    try {
      // Sent together, so that the savepoint takes no round trip of its own.
      const [, rows] = await Promise.all([query('savepoint statement', []), query(...statement)]);
      return rows;
    } catch (error) {
      await query('rollback to savepoint statement', []).catch(() => {
        // Then the commit fails too, so that nothing is changed: the reason is what failed first.
      });
      throw error;
    }
  }
}
