import type postgres from 'postgres';

/** Connections to a server, opened as they are needed. */
export interface Pool {
  /** Does something on the connection that has the least to do. */
  use<T>(work: (connection: postgres.Sql) => Promise<T>): Promise<T>;
  /** Closes them, after so many seconds whatever they still do. */
  end(options: { timeout: number }): Promise<void>;
}

/**
 * Makes a pool of clients that have one connection each. A client of several keeps a list in which each statement leaves
 * an entry, for as long as some connection is free, and which is searched for each statement (postgres.js 3.4.9): what a
 * statement costs doubles within 200,000 of them, and goes on growing.
 */
export function createPool(size: number, open: () => postgres.Sql): Pool {
  const members = Array.from({ length: size }, () => ({ connection: open(), uses: 0 }));
  return {
    async use(work) {
      const member = members.reduce((least, other) => (other.uses < least.uses ? other : least));
      member.uses++;
      try {
        return await work(member.connection);
      } finally {
        member.uses--;
      }
    },
    async end(options) {
      await Promise.all(members.map(({ connection }) => connection.end(options)));
    },
  };
}
