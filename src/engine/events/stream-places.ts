import { ServiceError } from '../errors.ts';

/** The part of all streams that one caller may have. */
const PART_OF_CALLER = 0.1;

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
      throw new ServiceError('UNAVAILABLE', `There are ${this.#max} streams already; try again.`, {
        headers: { 'retry-after': '5' },
      });
    }
    const ofCaller = Math.max(1, Math.floor(this.#max * PART_OF_CALLER));
    if ((this.#taken.get(account) ?? 0) < ofCaller) return;
    throw new ServiceError('RATE_LIMITED', `You have ${ofCaller} streams already; close one first.`, {
      headers: { 'retry-after': '5' },
    });
  }

  /**
   * @returns gives the place back
   * @throws {ServiceError} as `assertFree` does
   */
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

  /** The same; undefined if none is free. */
  takeIfFree(account: string): (() => void) | undefined {
    try {
      return this.take(account);
    } catch {
      return undefined;
    }
  }
}
