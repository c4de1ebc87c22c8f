import type { Load } from './concurrency.ts';
import type { CpuThrottle } from './cpu-throttle.ts';
import type { RateLimiter } from './rate.ts';
import { unitsOfBody, unitsOfKey } from './units.ts';

/** How many reads in progress a change counts as: it may hold a connection and wait for a row. */
const READS_PER_CHANGE = 10;

/** How many bytes of bodies are read at once for a caller. */
export const BYTES_AT_ONCE = 65_536;

/** How many bytes of a response take as long to write as a read, and so count as one in progress. */
const BYTES_PER_READ = 16_384;

/** Measures the cost of a request, and charges it to its account. */
export class Meter {
  #account: string;
  #units = 0;
  #bytes = 0;
  #waited = 0;
  readonly #limiter: Pick<RateLimiter, 'charge'> | undefined;
  readonly #bodyThrottle: Pick<CpuThrottle, 'wait'>;
  readonly #isAborted: (() => boolean) | undefined;

  /**
   * @param account that of the address that the request comes from
   * @param isAborted whether its client has gone
   */
  constructor(
    account: string,
    limiter: Pick<RateLimiter, 'charge'> | undefined,
    bodyThrottle: Pick<CpuThrottle, 'wait'>,
    isAborted?: () => boolean,
  ) {
    this.#account = account;
    this.#limiter = limiter;
    this.#bodyThrottle = bodyThrottle;
    this.#isAborted = isAborted;
  }

  /** The account that is charged: the caller's credential, otherwise its address. */
  get account(): string {
    return this.#account;
  }

  /** Whether anything has been charged, even if that was rejected. */
  get isCharged(): boolean {
    return this.#units > 0;
  }

  /** Charges the unit that each request costs, to the account from now on. Throws as `charge` does. */
  identify(account = this.#account): void {
    this.#account = account;
    this.charge(1);
  }

  /** @throws {ServiceError} RATE_LIMITED; never for 0 units */
  charge(units: number): void {
    if (units === 0) return;
    this.#units += units;
    this.#limiter?.charge(this.#account, units, this.#units);
  }

  /** The same for a part of a stream: it has no end, so its parts have no cost together. */
  chargePart(units: number): void {
    if (units > 0) this.#limiter?.charge(this.#account, units);
  }

  /** The same for bytes of a body, before they are read; resolves when a large body may be read. */
  chargeBody(bytes: number): Promise<void> | undefined {
    const units = unitsOfBody(bytes);
    if (units === 0) return undefined;
    this.charge(units);
    return this.waitFor(this.#bodyThrottle, bytes);
  }

  /** Waits as the throttle does, until the client goes. Counts the wait, as `countWait` does. */
  waitFor(throttle: Pick<CpuThrottle, 'wait'>, size: number): Promise<void> | undefined {
    const started = performance.now();
    return throttle.wait(this.#account, size, this.#isAborted)?.then(() => this.countWait(performance.now() - started));
  }

  /** Sets the maximum length of the response, in bytes. */
  expect(bytes: number): void {
    this.#bytes = bytes;
  }

  /** Charges an idempotency key, after the maximum length of its response is set. Throws as `charge` does. */
  chargeKey(): void {
    this.charge(unitsOfKey(this.#bytes));
  }

  /** Counts time that the request has already waited, in milliseconds, towards the time that it may take. */
  countWait(milliseconds: number): void {
    this.#waited += milliseconds;
  }

  /** @param kind reads wait for no changes, which may all wait for a lock, the disk or a standby; lookups of credentials for neither */
  load(kind: 'read' | 'change' | 'lookup'): Load {
    const ofWork = Math.max(1, this.#units) * (kind === 'change' ? READS_PER_CHANGE : 1);
    return {
      account: kind === 'read' ? this.#account : `${kind}s of ${this.#account}`,
      units: Math.max(ofWork, Math.ceil(this.#bytes / BYTES_PER_READ)),
      spent: this.#waited,
    };
  }
}
