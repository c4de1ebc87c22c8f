import { DAY_MILLISECONDS, toDay } from './annotation.ts';
import type { Clock } from './guard.ts';

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
const MAX_COUNTS = 2_000;

type MutableCount = { -readonly [K in keyof UseCount]: UseCount[K] };

/** Uses that were counted and not yet taken away; its size is bounded, whatever clients call themselves. */
export class Tally {
  readonly #clock: Clock;
  /** By day, coordinate and client. */
  #days = new Map<string, Map<string, Map<string, MutableCount>>>();
  #size = 0;
  /** The day that was counted on last, as a word, and when it began: to write a date takes longer than to count. */
  #day = '';
  #dayBegan = Number.NaN;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(coordinate: string, client: string): void {
    const now = this.#clock();
    const day = this.#dayOf(now);
    const known = this.#days.get(day)?.get(coordinate)?.get(client);
    if (known === undefined) {
      this.#put({ coordinate, client, day, uses: 1, lastSeen: now });
      return;
    }
    known.uses++;
    known.lastSeen = now;
  }

  /** Everything since the last time, which is no longer here then. */
  take(): UseCount[] {
    const taken = [...this.#days.values()].flatMap((ofDay) =>
      [...ofDay.values()].flatMap((clients) => [...clients.values()]),
    );
    this.#days = new Map();
    this.#size = 0;
    return taken;
  }

  /** Puts back what was taken and could not be stored. */
  restore(counts: readonly UseCount[]): void {
    for (const count of counts) this.#put(count);
  }

  #put(count: UseCount): void {
    const clients = within(within(this.#days, count.day), count.coordinate);
    const before = clients.get(count.client);
    if (before !== undefined) {
      before.uses += count.uses;
      if (before.lastSeen < count.lastSeen) before.lastSeen = count.lastSeen;
    } else if (this.#size < MAX_COUNTS || count.client === OTHERS) {
      clients.set(count.client, { ...count });
      this.#size++;
    } else {
      this.#put({ ...count, client: OTHERS });
    }
  }

  #dayOf(now: Date): string {
    const time = now.getTime();
    if (!(time >= this.#dayBegan && time < this.#dayBegan + DAY_MILLISECONDS)) {
      this.#day = toDay(now);
      this.#dayBegan = Date.parse(this.#day);
    }
    return this.#day;
  }
}

function within<Inner>(maps: Map<string, Map<string, Inner>>, key: string): Map<string, Inner> {
  const found = maps.get(key) ?? new Map<string, Inner>();
  maps.set(key, found);
  return found;
}
