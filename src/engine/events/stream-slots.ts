import { ServiceError } from '../errors.ts';

/** The part of all streams that one caller may have. */
const PART_OF_CALLER = 0.1;
const LATER = { 'retry-after': '5' };

/** Shares out streams and waiting pages among callers. */
export function createStreamSlots(max: number, onCount: (count: number) => void) {
  const ofCaller = Math.max(1, Math.floor(max * PART_OF_CALLER));
  /** The account of each slot that is taken. */
  const taken: string[] = [];

  return {
    assertFree,

    /** Returns the function that releases the slot. Throws as `assertFree` does. */
    acquire(account: string): () => void {
      assertFree(account);
      onCount(taken.push(account));
      return () => {
        taken.splice(taken.indexOf(account), 1);
        onCount(taken.length);
      };
    },
  };

  /** @throws {ServiceError} UNAVAILABLE, RATE_LIMITED */
  function assertFree(account: string): void {
    if (taken.length >= max) {
      throw new ServiceError('UNAVAILABLE', `There are ${max} streams already; try again.`, { headers: LATER });
    }
    if (taken.filter((one) => one === account).length < ofCaller) return;
    throw new ServiceError('RATE_LIMITED', `You have ${ofCaller} streams already; close one first.`, {
      headers: LATER,
    });
  }
}
