import { createPool, type Pool } from './pool.ts';

/** How long a change waits for its turn, in milliseconds. */
const TIMEOUT = 1_000;

interface Row {
  readonly pool: Pool<undefined>;
  /** How many changes of the row are running or waiting. */
  users: number;
}

/** Runs the changes of a row one after another, within this process. */
export class Turns {
  readonly #rows = new Map<string, Row>();

  /**
   * Does the work when no other change of the row is running.
   *
   * @throws {ServiceError} UNAVAILABLE when it waits too long
   */
  async take<T>(key: string, work: () => Promise<T>): Promise<T> {
    const row = this.#rows.get(key) ?? { pool: createPool(1, NOTHING), users: 0 };
    this.#rows.set(key, row);
    row.users++;
    try {
      return await row.pool.use(work, TIMEOUT);
    } finally {
      if (--row.users === 0) this.#rows.delete(key);
    }
  }
}

const NOTHING = { open: () => undefined, close: async () => {} };
