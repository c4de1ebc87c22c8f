import { ServiceError } from '../errors.ts';
import { type Waiting, waitIn } from '../queue.ts';
import { overloaded } from './violations.ts';

/** A connection, for one use at a time. */
export interface Pooled {
  /** Whether it must not be used again: either end has closed it, or its state is unknown. */
  isLost: boolean;
}

export type Pool<Client extends Pooled> = ReturnType<typeof createPool<Client>>;

export interface Opener<Client extends Pooled> {
  open(): Client;
  close(client: Client, seconds: number): Promise<void>;
  /** Whether a client that was used must be replaced. */
  isSpent?(client: Client): boolean;
}

/**
 * Makes a pool whose clients have one connection and one user at a time. A client of postgres.js 3.4.9 must not be
 * shared: with several connections it gets slower with each statement; a queued statement can't be given up without
 * mixing up the results of later ones; and a transaction with statements behind it, or a lost connection, crashes the
 * process.
 *
 * @param share how many connections one user may have, by default so that one is left for the others
 */
export function createPool<Client extends Pooled>(
  size: number,
  { open, close, isSpent }: Opener<Client>,
  share = Math.max(1, size - 1),
) {
  const clients = new Set<Client>();
  const idle: Client[] = [];
  /** The users that wait. An array: a `Set` keeps deleted entries in memory until the next major garbage collection. */
  const waiting: Waiting<string | undefined>[] = [];
  /** The user of each connection in use; undefined for work without one. */
  const users: (string | undefined)[] = [];
  let hasEnded = false;

  return {
    /**
     * Runs the work on a connection that nothing else uses meanwhile. A lost connection is not used again.
     *
     * @param timeout how long to wait for a connection, in milliseconds
     * @param user whom or what it works for: it has at most `share` connections, and those that wait take turns
     * @throws {ServiceError} UNAVAILABLE when no connection was free in time
     */
    async use<T>(work: (client: Client) => Promise<T>, timeout: number, user?: string): Promise<T> {
      if (hasEnded) throw stopping();
      if (users.length < size && usedBy(user) < share) users.push(user);
      else await waitIn(waiting, user, { milliseconds: timeout, error: overloaded });
      const client = takeIdle() ?? open();
      clients.add(client);
      try {
        return await work(client);
      } finally {
        release(client, user);
      }
    },

    /** Closes the connections. Work in progress may take this many more seconds; new work is rejected. */
    async end(seconds: number): Promise<void> {
      hasEnded = true;
      for (const { end } of [...waiting]) end(stopping());
      await Promise.all([...clients].map((client) => close(client, seconds)));
    },
  };

  function usedBy(user: string | undefined): number {
    let uses = 0;
    if (user !== undefined) for (const other of users) if (other === user) uses++;
    return uses;
  }

  /** An idle connection; discards those that were lost while idle. */
  function takeIdle(): Client | undefined {
    for (let client = idle.pop(); client !== undefined; client = idle.pop()) {
      if (!client.isLost) return client;
      discard(client);
    }
    return undefined;
  }

  function release(client: Client, user: string | undefined): void {
    users.splice(users.indexOf(user), 1);
    if (client.isLost || isSpent?.(client)) discard(client);
    else idle.push(client);
    const entry = next();
    if (entry === undefined) return;
    users.push(entry.work);
    entry.end();
  }

  /** The work that has waited longest, among that of the users with the fewest connections. */
  function next(): Waiting<string | undefined> | undefined {
    let found: Waiting<string | undefined> | undefined;
    for (const entry of waiting) {
      const uses = usedBy(entry.work);
      if (uses < share && (found === undefined || uses < usedBy(found.work))) found = entry;
      if (uses === 0) break;
    }
    return found;
  }

  function discard(client: Client): void {
    clients.delete(client);
    void close(client, 0);
  }
}

function stopping(): ServiceError {
  return new ServiceError('UNAVAILABLE', 'The service is stopping.');
}
