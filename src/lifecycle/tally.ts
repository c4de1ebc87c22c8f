import type { Clock } from './guard.ts';
import { toDay } from './mark.ts';

/** How often a client has used a marked thing on a day, in UTC. */
export interface UseCount {
  readonly coordinate: string;
  readonly client: string;
  readonly day: string;
  readonly uses: number;
  readonly lastSeen: Date;
}

/** Who is counted together once there are too many names: a client can make up any number. */
export const OTHERS = '(others)';

/** How many counts are kept until they are taken. */
const MOST_COUNTS = 2_000;

/** Uses that were counted and not yet taken away; its size is bounded, whatever clients call themselves. */
export class Tally {
  readonly #clock: Clock;
  #counts = new Map<string, { -readonly [K in keyof UseCount]: UseCount[K] }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(coordinate: string, client: string): void {
    const now = this.#clock();
    this.#put({ coordinate, client, day: toDay(now), uses: 1, lastSeen: now });
  }

  /** Everything since the last time, which is no longer here then. */
  take(): UseCount[] {
    const taken = [...this.#counts.values()];
    this.#counts = new Map();
    return taken;
  }

  /** Puts back what was taken and could not be stored. */
  restore(counts: readonly UseCount[]): void {
    for (const count of counts) this.#put(count);
  }

  #put(count: UseCount): void {
    const key = `${count.day} ${count.coordinate} ${count.client}`;
    const before = this.#counts.get(key);
    if (before !== undefined) {
      before.uses += count.uses;
      if (before.lastSeen < count.lastSeen) before.lastSeen = count.lastSeen;
    } else if (this.#counts.size < MOST_COUNTS || count.client === OTHERS) {
      this.#counts.set(key, { ...count });
    } else {
      this.#put({ ...count, client: OTHERS });
    }
  }
}
