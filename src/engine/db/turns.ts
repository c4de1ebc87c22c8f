import { createPool, type Pool } from './pool.ts';

/** How long to wait for a row's turn, in milliseconds: what waits longer is told to try again. */
const PATIENCE = 1_000;

interface Row {
  readonly pool: Pool<undefined>;
  /** How many use it or wait for it. */
  users: number;
}

/** Has what changes one row of the database run one after another in this process. */
export class Turns {
  readonly #rows = new Map<string, Row>();

  /**
   * Does the work when nothing else is done to the row.
   *
   * @throws {ServiceError} UNAVAILABLE when its turn does not come in time
   */
  async take<T>(key: string, work: () => Promise<T>): Promise<T> {
    const row = this.#rows.get(key) ?? { pool: createPool(1, NOTHING), users: 0 };
    this.#rows.set(key, row);
    row.users++;
    try {
      return await row.pool.use(work, PATIENCE);
    } finally {
      if (--row.users === 0) this.#rows.delete(key);
    }
  }
}

const NOTHING = { open: () => undefined, close: async () => {} };
