import { ServiceError } from '../errors.ts';

/** The part of all streams that one caller may have. */
const PART_OF_CALLER = 0.1;
const LATER = { 'retry-after': '5' };

/** Shares out streams and waiting pages among callers. */
export class StreamPlaces {
  readonly #max: number;
  readonly #onCount: (count: number) => void;
  readonly #taken = new Map<string, number>();
  #count = 0;

  constructor(max: number, onCount: (count: number) => void) {
    this.#max = max;
    this.#onCount = onCount;
  }

  /** @throws {ServiceError} UNAVAILABLE, RATE_LIMITED */
  assertFree(account: string): void {
    if (this.#count >= this.#max) {
      throw new ServiceError('UNAVAILABLE', `There are ${this.#max} streams already; try again.`, { headers: LATER });
    }
    const ofCaller = Math.max(1, Math.floor(this.#max * PART_OF_CALLER));
    if ((this.#taken.get(account) ?? 0) < ofCaller) return;
    throw new ServiceError('RATE_LIMITED', `You have ${ofCaller} streams already; close one first.`, {
      headers: LATER,
    });
  }

  /** Returns what gives the place back. Throws as `assertFree` does. */
  take(account: string): () => void {
    this.assertFree(account);
    this.#onCount(++this.#count);
    this.#taken.set(account, (this.#taken.get(account) ?? 0) + 1);
    return () => {
      this.#onCount(--this.#count);
      const left = (this.#taken.get(account) ?? 0) - 1;
      if (left === 0) this.#taken.delete(account);
      else this.#taken.set(account, left);
    };
  }
}
