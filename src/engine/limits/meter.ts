import type { Load } from './concurrency.ts';
import type { RateLimiter } from './rate.ts';

/** As how many reads a change counts. */
const READS_OF_CHANGE = 10;

/** How many bytes of an answer count as a read that is in progress: so long they take to be written. */
const BYTES_OF_READ = 16_384;

/** Measures what a request costs, and charges it to its account. */
export class Meter {
  #account: string;
  #units = 0;
  #bytes = 0;
  #waited = 0;
  readonly #limiter: Pick<RateLimiter, 'charge'> | undefined;

  /**
   * @param account the one of the address that the request comes from
   * @param limiter undefined where callers may use as much as they like
   */
  constructor(account: string, limiter: Pick<RateLimiter, 'charge'> | undefined) {
    this.#account = account;
    this.#limiter = limiter;
  }

  /** What is charged: the caller's credential, otherwise its address. */
  get account(): string {
    return this.#account;
  }

  /** Whether anything has been charged, or could not be. */
  get isCharged(): boolean {
    return this.#units > 0;
  }

  /**
   * Begins with the unit that each request costs.
   *
   * @param account what is charged from now on; without it, the address
   */
  identify(account?: string): void {
    if (account !== undefined) this.#account = account;
    this.charge(1);
  }

  /** @throws {ServiceError} RATE_LIMITED */
  charge(units: number): void {
    this.#units += units;
    this.#limiter?.charge(this.#account, units);
  }

  /** Notes how long the answer may be, in bytes. */
  expect(bytes: number): void {
    this.#bytes = bytes;
  }

  /** Adds the time that the request has waited so far, in milliseconds, to the time that it may take. */
  wait(milliseconds: number): void {
    this.#waited += milliseconds;
  }

  /** How much the request weighs while it is in progress. A change may wait for a row, and has a connection meanwhile. */
  load(kind: 'read' | 'change'): Load {
    const ofWork = Math.max(1, this.#units) * (kind === 'read' ? 1 : READS_OF_CHANGE);
    return { account: this.#account, units: Math.max(ofWork, this.#bytes / BYTES_OF_READ), spent: this.#waited };
  }
}
