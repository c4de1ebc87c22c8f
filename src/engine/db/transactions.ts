import type { Database, Session } from './client.ts';
import { type Connection, createPool } from './pool.ts';

/** How long a transaction may take, in milliseconds: what it has changed is locked for all others meanwhile. */
const MAX_TRANSACTION_TIME = 2_000;

/** What the work in a transaction has come to. */
export interface Settled<T> {
  readonly value: T;
  /** Whether what it has changed stands; otherwise it is rolled back. */
  readonly stands: boolean;
}

/** Transactions, of which some run at once and the others wait. */
interface Transactions<Made> {
  /**
   * Runs the work in a transaction of its own, with what was made of its database; rolls back when it rejects.
   *
   * @param caller whom it is for: where callers wait, each has its turn
   * @throws {ServiceError} UNAVAILABLE when it had to wait too long, TIMEOUT when it took too long: then it is rolled back
   */
  run<T>(caller: string, work: (made: Made) => Promise<Settled<T>>): Promise<T>;
}

/** What a session has, as the work may use it. */
export type Own = Omit<Session, 'transaction'>;

/** Carries the value of what does not stand out of its transaction. */
class RolledBack extends Error {
  readonly value: unknown;

  constructor(value: unknown) {
    super('It does not stand.');
    this.value = value;
  }
}

/**
 * @param most how many run at once
 * @param deadline how long each may wait for its turn, and how long it may take with that, in milliseconds
 * @param make makes what the work needs of its databases, such as their statements; once for each that runs at once
 */
export function createTransactions<Made>(
  database: Database,
  most: number,
  deadline: number,
  make: (own: Own) => Made,
): Transactions<Made> {
  interface Place {
    readonly session: Session;
    readonly made: Made;
  }
  const places = createPool<Place>(most, {
    open: () => {
      const session = database.session();
      return { session, made: make(session) };
    },
    close: async () => {},
  });

  return {
    run<T>(caller: string, work: (made: Made) => Promise<Settled<T>>): Promise<T> {
      const latest = performance.now() + deadline;
      const inPlace = async (place: Connection<Place>) => {
        const until = Math.min(latest, performance.now() + MAX_TRANSACTION_TIME);
        const { session, made } = place.client;
        let hasSettled = false;
        try {
          return await session.transaction(async () => {
            const { value, stands } = await work(made);
            hasSettled = true;
            if (!stands) throw new RolledBack(value);
            return value;
          }, until);
        } catch (error) {
          // Work that rejects may have left something running, which must not meet the next one's transaction.
          place.isLost = !hasSettled;
          if (error instanceof RolledBack) return error.value as T;
          throw error;
        }
      };
      return places.use(inPlace, deadline, caller);
    },
  };
}
