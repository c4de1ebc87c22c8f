import type { Database, Session } from './client.ts';
import { type Connection, createPool } from './pool.ts';

/**
 * How long a transaction may take, in milliseconds: the rows that it has changed are locked for all others meanwhile.
 */
const MAX_TRANSACTION_TIME = 2_000;

/** The result of the work in a transaction. */
export interface Settled<T> {
  readonly value: T;
  /** Whether to commit its changes; otherwise they are rolled back. */
  readonly commit: boolean;
}

/** Runs a limited number of transactions at once; the others wait. */
interface Transactions<Made> {
  /**
   * Runs the work in a transaction of its own, with what was made for the session; rolls back when it rejects.
   *
   * @param caller the caller that it works for: waiting callers take turns
   * @throws {ServiceError} UNAVAILABLE when it had to wait too long, TIMEOUT when it took too long and is rolled back
   */
  run<T>(caller: string, work: (made: Made) => Promise<Settled<T>>): Promise<T>;
}

/** The parts of a session that the work may use. */
export type SessionDatabases = Omit<Session, 'transaction'>;

/** Carries the value of a transaction that is rolled back. */
class RolledBack extends Error {
  readonly value: unknown;

  constructor(value: unknown) {
    super('The transaction is rolled back.');
    this.value = value;
  }
}

/**
 * @param max how many transactions run at once
 * @param deadline how long each may wait, and how long it may take including its wait, in milliseconds
 * @param make makes what the work needs, such as its statements; called once per session, which transactions then reuse
 */
export function createTransactions<Made>(
  database: Database,
  max: number,
  deadline: number,
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
    run<T>(caller: string, work: (made: Made) => Promise<Settled<T>>): Promise<T> {
      const latest = performance.now() + deadline;
      const inSession = async (connection: Connection<Client>) => {
        const until = Math.min(latest, performance.now() + MAX_TRANSACTION_TIME);
        const { session, made } = connection.client;
        let hasSettled = false;
        try {
          return await session.transaction(async () => {
            const { value, commit } = await work(made);
            hasSettled = true;
            if (!commit) throw new RolledBack(value);
            return value;
          }, until);
        } catch (error) {
          // Work that rejects may still be running, and must not send statements in the next transaction.
          connection.isLost = !hasSettled;
          if (error instanceof RolledBack) return error.value as T;
          throw error;
        }
      };
      return sessions.use(inSession, deadline, caller);
    },
  };
}
