import { DAY_MILLISECONDS, toDay } from './annotation.ts';
import type { Clock } from './guard.ts';

/** A client's uses of an annotated element on a day, in UTC. */
export interface UseCount {
  readonly coordinate: string;
  readonly client: string;
  readonly day: string;
  readonly uses: number;
  readonly lastSeen: Date;
}

/** The name for all clients beyond the maximum number of names: a client can invent any number. */
export const OTHERS = '(others)';

/** The maximum number of counts until they are taken. */
const MAX_COUNTS = 2_000;

type MutableCount = { -readonly [K in keyof UseCount]: UseCount[K] };

/** Counts of uses that are not stored yet, of bounded size. */
export class Tally {
  readonly #clock: Clock;
  #days = new Map<string, Map<string, Map<string, MutableCount>>>();
  #size = 0;
  /** The day of the last count, and its start: to format a date takes longer than to count. */
  #day = '';
  #dayStart = Number.NaN;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(coordinate: string, client: string): void {
    const now = this.#clock();
    const day = this.#dayOf(now);
    const count = this.#days.get(day)?.get(coordinate)?.get(client);
    if (count === undefined) {
      this.#put({ coordinate, client, day, uses: 1, lastSeen: now });
      return;
    }
    count.uses++;
    count.lastSeen = now;
  }

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
    if (!(time >= this.#dayStart && time < this.#dayStart + DAY_MILLISECONDS)) {
      this.#day = toDay(now);
      this.#dayStart = Date.parse(this.#day);
    }
    return this.#day;
  }
}

function within<Inner>(maps: Map<string, Map<string, Inner>>, key: string): Map<string, Inner> {
  const found = maps.get(key) ?? new Map<string, Inner>();
  maps.set(key, found);
  return found;
}
