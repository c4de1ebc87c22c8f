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

export type UseCount = ReturnType<Tally['take']>[number];

/** The name for all clients beyond the maximum number of names: a client can invent any number. */
export const OTHERS = '(others)';

/** The maximum number of counts until they are taken. */
const MAX_COUNTS = 2_000;

/** Counts of uses that are not stored yet, of bounded size. */
export class Tally {
  readonly #clock: Clock;
  /** By the number of the day: to format a date takes longer than to count. */
  #days = new Map<number, Map<string, Map<string, DayCount>>>();
  #size = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(coordinate: string, client: string): void {
    this.#put({ coordinate, client, uses: 1, lastSeen: this.#clock() });
  }

  take() {
    const taken = [...this.#days.values()]
      .flatMap((ofDay) => [...ofDay.values()])
      .flatMap((ofElement) => [...ofElement.values()])
      .map((count) => ({ ...count, day: toDay(count.lastSeen) }));
    this.#days = new Map();
    this.#size = 0;
    return taken;
  }

  /** Puts back what was taken and could not be stored. */
  restore(counts: readonly DayCount[]): void {
    for (const count of counts) this.#put(count);
  }

  #put({ coordinate, client, uses, lastSeen }: DayCount): void {
    const time = lastSeen.getTime();
    const clients = within(within(this.#days, Math.floor(time / DAY_MILLISECONDS)), coordinate);
    const before = clients.get(client);
    if (before !== undefined) {
      before.uses += uses;
      if (before.lastSeen.getTime() < time) before.lastSeen = lastSeen;
    } else if (this.#size < MAX_COUNTS || client === OTHERS) {
      clients.set(client, { coordinate, client, uses, lastSeen });
      this.#size++;
    } else {
      this.#put({ coordinate, client: OTHERS, uses, lastSeen });
    }
  }
}

function within<Key, Inner>(maps: Map<Key, Map<string, Inner>>, key: Key): Map<string, Inner> {
  const found = maps.get(key);
  if (found !== undefined) return found;
  const inner = new Map<string, Inner>();
  maps.set(key, inner);
  return inner;
}
