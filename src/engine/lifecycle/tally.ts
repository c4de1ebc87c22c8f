import { DAY_MILLISECONDS, toDay } from './annotation.ts';
import type { Clock } from './enforcement.ts';

/** A client's uses of an annotated element on a day. */
interface DayCount {
  readonly coordinate: string;
  readonly client: string;
  uses: number;
  /** On this day, in UTC. */
  lastSeen: Date;
}

/** The name for all clients beyond the maximum number of names: a client can invent any number. */
export const OTHERS = '(others)';

/** The maximum number of counts until they are taken. */
const MAX_COUNTS = 2_000;

/** Counts of uses that are not stored yet, of bounded size. */
export class Tally {
  readonly #clock: Clock;
  /** By the day, the coordinate and the client. */
  #counts = new Map<string, DayCount>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(coordinate: string, client: string): void {
    this.#put({ coordinate, client, uses: 1, lastSeen: this.#clock() });
  }

  take() {
    const taken = [...this.#counts.values()].map((count) => ({ ...count, day: toDay(count.lastSeen) }));
    this.#counts = new Map();
    return taken;
  }

  /** Puts back what was taken and could not be stored. */
  restore(counts: readonly DayCount[]): void {
    for (const count of counts) this.#put(count);
  }

  #put({ coordinate, client, uses, lastSeen }: DayCount): void {
    const time = lastSeen.getTime();
    // The number of the day, because to format a date takes longer than to count.
    const key = `${Math.floor(time / DAY_MILLISECONDS)} ${coordinate} ${client}`;
    const before = this.#counts.get(key);
    if (before !== undefined) {
      before.uses += uses;
      if (before.lastSeen.getTime() < time) before.lastSeen = lastSeen;
    } else if (this.#counts.size < MAX_COUNTS || client === OTHERS) {
      this.#counts.set(key, { coordinate, client, uses, lastSeen });
    } else {
      this.#put({ coordinate, client: OTHERS, uses, lastSeen });
    }
  }
}
