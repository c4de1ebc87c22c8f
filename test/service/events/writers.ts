import postgres from 'postgres';
import { Database } from '../../../src/engine/db/client.ts';
import type { Query } from '../../../src/engine/db/driver.ts';
import { failureFrom } from '../../../src/engine/db/server.ts';
import { inventoryStore } from '../../../src/petstore/inventory/store.ts';
import { orderStore } from '../../../src/petstore/orders/store.ts';
import { petStore } from '../../../src/petstore/pets/store.ts';

/** How long a statement may take before it counts as waiting for a lock, in milliseconds. */
const PATIENCE = 15;

/** A connection that takes its steps one at a time, as the test says. */
export class Connection {
  readonly #url: string;
  #client: postgres.Sql;
  /** The statement that waits for a lock. */
  waiting: Promise<unknown> | undefined;
  inTransaction = false;

  constructor(url: string) {
    this.#url = url;
    this.#client = connect(url);
  }

  readonly query: Query = (text, parameters = []) =>
    this.#client
      .unsafe(text, [...parameters])
      .values()
      .catch((error) => {
        throw failureFrom(error);
      });

  /** Starts work, and resolves when it has ended or waits for a lock. A failed statement fails its transaction. */
  async start(work: () => Promise<unknown>): Promise<void> {
    let isWaiting = true;
    const ended = work()
      .catch(() => {})
      .then(() => {
        isWaiting = false;
        this.waiting = undefined;
      });
    await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, PATIENCE))]);
    if (isWaiting) this.waiting = ended;
  }

  async begin(): Promise<void> {
    await this.query('begin', []);
    this.inTransaction = true;
  }

  async end(how: 'commit' | 'rollback'): Promise<void> {
    this.inTransaction = false;
    await this.query(how, []);
  }

  /** Closes the connection as a process that is killed does: the server rolls back. */
  async kill(): Promise<void> {
    this.inTransaction = false;
    await this.#client.end({ timeout: 0 });
    this.#client = connect(this.#url);
  }

  close(): Promise<void> {
    return this.#client.end({ timeout: 0 });
  }
}

function connect(url: string): postgres.Sql {
  return postgres(url, { max: 1, fetch_types: false, onnotice: () => {}, connection: { deadlock_timeout: 50 } });
}

/** The stores of the service, on a connection whose transactions the test begins and ends. */
export function storesOn(connection: Connection) {
  const query = (text: string, parameters: Parameters<Query>[1]) => connection.query(text, parameters);
  const database = new Database(
    { kind: 'server', query, transaction: () => Promise.reject(new Error('unused')), close: async () => {} },
    undefined,
    { isInTransaction: true },
  );
  return { pets: petStore(database), orders: orderStore(database), inventory: inventoryStore(database) };
}
