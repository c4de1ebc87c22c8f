import { RETRY_SOON, ServiceError } from '../errors.ts';

/** A connection to a server, used by one at a time. */
export interface Connection<Client> {
  readonly client: Client;
  /** Whether it must not be used any more: it was closed, nobody knows what it still does, or the server keeps too much for it. */
  isLost: boolean;
}

/** Connections to a server, opened as they are needed. */
export interface Pool<Client> {
  /**
   * Does something on a connection that nobody else uses meanwhile. One that was lost is not used again.
   *
   * @param patience how long to wait for a connection, in milliseconds
   * @param caller whom it is for: no caller has all connections, and of those that wait each caller has its turn
   * @throws {ServiceError} UNAVAILABLE when none was free in time
   */
  use<T>(work: (connection: Connection<Client>) => Promise<T>, patience: number, caller?: string): Promise<T>;
  /** Lets what is under way finish, for so many seconds, and closes the connections; none is opened from then on. */
  end(seconds: number): Promise<void>;
}

/** Opens and closes what a connection is made of. */
interface Opener<Client> {
  /** @param onClose called when the connection is closed, by whichever end */
  open(onClose: () => void): Client;
  close(client: Client, seconds: number): Promise<void>;
}

/** A use that waits for a connection. */
interface Waiting {
  readonly caller: string | undefined;
  start(): void;
  giveUp(error: ServiceError): void;
}

/**
 * Makes a pool. A client of postgres.js 3.4.9 must not be shared: with several connections it gets slower with each
 * statement; a statement that waits behind another cannot be given up without mixing up the answers of those after it;
 * a transaction that others wait behind, or whose connection is lost, ends the process. So each client has one
 * connection and one user, and waiting is done here.
 */
export function createPool<Client>(size: number, { open, close }: Opener<Client>): Pool<Client> {
  type Member = Connection<Client>;
  const members = new Set<Member>();
  const idle: Member[] = [];
  const waiting = new Set<Waiting>();
  /** How many are used by each caller, where it is known. */
  const used = new Map<string, number>();
  let usedInAll = 0;
  /** How many one caller may use, so that another finds one. */
  const share = Math.max(1, size - 1);
  let hasEnded = false;

  return {
    async use(work, patience, caller) {
      if (hasEnded) throw stopping();
      if (usedInAll < size && usedBy(caller) < share) begin(caller);
      else await wait(patience, caller);
      const member = takeIdle() ?? join();
      try {
        return await work(member);
      } finally {
        leave(member, caller);
      }
    },

    async end(seconds) {
      hasEnded = true;
      for (const { giveUp } of waiting) giveUp(stopping());
      await Promise.all([...members].map(({ client }) => close(client, seconds)));
    },
  };

  function usedBy(caller: string | undefined): number {
    return caller === undefined ? 0 : (used.get(caller) ?? 0);
  }

  function begin(caller: string | undefined): void {
    usedInAll++;
    if (caller !== undefined) used.set(caller, usedBy(caller) + 1);
  }

  function wait(patience: number, caller: string | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const leaveQueue = () => {
        clearTimeout(timer);
        waiting.delete(place);
      };
      const place: Waiting = {
        caller,
        start() {
          leaveQueue();
          begin(caller);
          resolve();
        },
        giveUp(error) {
          leaveQueue();
          reject(error);
        },
      };
      const timer = setTimeout(() => place.giveUp(busy()), patience);
      waiting.add(place);
    });
  }

  /** One that is idle; what was lost while it was is not taken. */
  function takeIdle(): Member | undefined {
    for (let member = idle.pop(); member !== undefined; member = idle.pop()) {
      if (!member.isLost) return member;
      discard(member);
    }
    return undefined;
  }

  function join(): Member {
    const client = open(() => {
      member.isLost = true;
    });
    const member: Member = { client, isLost: false };
    members.add(member);
    return member;
  }

  function leave(member: Member, caller: string | undefined): void {
    usedInAll--;
    if (caller !== undefined) {
      const left = usedBy(caller) - 1;
      if (left > 0) used.set(caller, left);
      else used.delete(caller);
    }
    if (member.isLost) discard(member);
    else idle.push(member);
    next()?.start();
  }

  /** Of the callers that use the fewest, the one that waits longest. */
  function next(): Waiting | undefined {
    let found: Waiting | undefined;
    for (const place of waiting) {
      const uses = usedBy(place.caller);
      if (uses < share && (found === undefined || uses < usedBy(found.caller))) found = place;
      if (uses === 0) break;
    }
    return found;
  }

  function discard(member: Member): void {
    members.delete(member);
    void close(member.client, 0);
  }
}

function busy(): ServiceError {
  const message = 'The database is overloaded at the moment; try again.';
  return new ServiceError('UNAVAILABLE', message, { headers: RETRY_SOON });
}

function stopping(): ServiceError {
  return new ServiceError('UNAVAILABLE', 'The service is stopping.', { headers: RETRY_SOON });
}
