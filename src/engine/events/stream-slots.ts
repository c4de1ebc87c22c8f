import { ServiceError } from '../errors.ts';

/** The part of all streams that one caller may have. */
const PART_OF_CALLER = 0.1;
/** The characters of a document that take as much memory as a stream without one, while it is open. */
const CHARACTERS_OF_SLOT = 1_000;
const LATER = { 'retry-after': '5' };

interface Slot {
  readonly account: string;
  /** As how many streams it counts. */
  readonly size: number;
}

/**
 * Shares out streams and long polls among callers: those with a long document count as several. Makes the function that
 * takes a slot, which throws UNAVAILABLE or RATE_LIMITED if there is none, and returns the function that releases it.
 */
export function createStreamSlots(max: number, onCount: (count: number) => void) {
  const ofCaller = Math.max(1, Math.floor(max * PART_OF_CALLER));
  const taken: Slot[] = [];

  return (account: string, characters: number): (() => void) => {
    // A caller can always have one, however long it is.
    const size = Math.min(Math.max(1, Math.ceil(characters / CHARACTERS_OF_SLOT)), ofCaller);
    if (sizeOf(taken) + size > max) {
      throw new ServiceError('UNAVAILABLE', 'There is no room for another stream; try again.', { headers: LATER });
    }
    const own = sizeOf(taken.filter((one) => one.account === account));
    if (own + size > ofCaller) {
      const longer = size === 1 ? '' : `, and this one as ${size} because its document and variables are long`;
      const message = `Your streams count as ${own} of ${ofCaller} already${longer}; close one first.`;
      throw new ServiceError('RATE_LIMITED', message, { headers: LATER });
    }
    const slot = { account, size };
    onCount(taken.push(slot));
    return () => {
      taken.splice(taken.indexOf(slot), 1);
      onCount(taken.length);
    };
  };
}

function sizeOf(slots: readonly Slot[]): number {
  return slots.reduce((sum, { size }) => sum + size, 0);
}
