import { RETRY_SOON, ServiceError } from '../errors.ts';

/** A connection to a server, used by one at a time. */
export interface Connection<Client> {
  readonly client: Client;
  /** Whether it cannot be used any more: it was closed, or nobody knows what it still does. */
  isLost: boolean;
}

/** Connections to a server, opened as they are needed. */
export interface Pool<Client> {
  /**
   * Does something on a connection that nobody else uses meanwhile. One that was lost is not used again.
   *
   * @param patience how long to wait for a connection, in milliseconds
   * @throws {ServiceError} UNAVAILABLE when none was free in time
   */
  use<T>(work: (connection: Connection<Client>) => Promise<T>, patience: number): Promise<T>;
  /** Lets what is under way finish, for so many seconds, and closes the connections; none is opened from then on. */
  end(seconds: number): Promise<void>;
}

/** Opens and closes what a connection is made of. */
export interface Opener<Client> {
  /** @param onClose called when the connection is closed, by whichever end */
  open(onClose: () => void): Client;
  close(client: Client, seconds: number): Promise<void>;
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
  const waiting = new Set<{ take(member: Member): void; giveUp(error: ServiceError): void }>();
  let hasEnded = false;

  return {
    async use(work, patience) {
      if (hasEnded) throw stopping();
      const member = take() ?? (members.size < size ? join() : await wait(patience));
      try {
        return await work(member);
      } finally {
        leave(member);
      }
    },

    async end(seconds) {
      hasEnded = true;
      for (const { giveUp } of waiting) giveUp(stopping());
      await Promise.all([...members].map(({ client }) => close(client, seconds)));
    },
  };

  /** One that is idle; what was lost while it was is not taken. */
  function take(): Member | undefined {
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

  /** The one that waits longest is the first in turn. */
  function wait(patience: number): Promise<Member> {
    return new Promise((resolve, reject) => {
      const leaveLine = () => {
        clearTimeout(timer);
        waiting.delete(place);
      };
      const place = {
        take(member: Member) {
          leaveLine();
          resolve(member);
        },
        giveUp(error: ServiceError) {
          leaveLine();
          reject(error);
        },
      };
      const timer = setTimeout(() => place.giveUp(busy()), patience);
      waiting.add(place);
    });
  }

  function leave(member: Member): void {
    const [next] = waiting;
    if (member.isLost) discard(member);
    if (next !== undefined) next.take(member.isLost ? join() : member);
    else if (!member.isLost) idle.push(member);
  }

  function discard(member: Member): void {
    members.delete(member);
    void close(member.client, 0);
  }
}

function busy(): ServiceError {
  const message = 'The database has too much to do just now; try again.';
  return new ServiceError('UNAVAILABLE', message, { headers: RETRY_SOON });
}

function stopping(): ServiceError {
  return new ServiceError('UNAVAILABLE', 'The service is stopping.', { headers: RETRY_SOON });
}
