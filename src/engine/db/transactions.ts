import type { Database, Session } from './client.ts';
import { type Connection, createPool } from './pool.ts';

/**
 * How long a transaction may take, in milliseconds: the rows that it has changed are locked for all others meanwhile.
 */
const MAX_TRANSACTION_TIME = 2_000;

/** Runs a limited number of transactions at once; the others wait. */
interface Transactions<Made> {
  /**
   * Runs the work in a transaction of its own, with what was made for the session; rolls back when it rejects.
   *
   * @param caller the caller that it works for, if it is one: waiting callers take turns
   * @param latest when it must have ended, including its wait, as a time of `performance.now`
   * @throws {ServiceError} UNAVAILABLE when it had to wait too long, TIMEOUT when it took too long and is rolled back
   */
  run<T>(caller: string | undefined, latest: number, work: (made: Made) => Promise<T>): Promise<T>;
}

/** The parts of a session that the work may use. */
export type SessionDatabases = Omit<Session, 'transaction'>;

/**
 * @param max how many transactions run at once
 * @param make makes what the work needs, such as its statements; called once per session, which transactions then reuse
 */
export function createTransactions<Made>(
  database: Database,
  max: number,
  make: (databases: SessionDatabases) => Made,
): Transactions<Made> {
  interface Client {
    readonly session: Session;
    readonly made: Made;
  }
  const sessions = createPool<Client>(max, {
    open: () => {
      const session = database.session();
      return { session, made: make(session) };
    },
    close: async () => {},
  });

  return {
    run(caller, latest, work) {
      const inSession = async (connection: Connection<Client>) => {
        const until = Math.min(latest, performance.now() + MAX_TRANSACTION_TIME);
        const { session, made } = connection.client;
        try {
          return await session.transaction(() => work(made), until);
        } catch (error) {
          // Work that rejects may still be running, and must not send statements in the next transaction.
          connection.isLost = true;
          throw error;
        }
      };
      return sessions.use(inSession, latest - performance.now(), caller);
    },
  };
}
