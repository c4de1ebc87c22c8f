import { overloaded } from './failures.ts';

/** How long a change waits for its turn, in milliseconds. */
const TIMEOUT = 1_000;

/** Runs the changes of a row one after another, within this process. */
export class Turns {
  /** For each row that is being changed, what starts the waiting changes, in their order. */
  readonly #rows = new Map<string, Set<() => void>>();

  /**
   * Does the work when no other change of the row is running.
   *
   * @throws {ServiceError} UNAVAILABLE when it waits too long
   */
  async take<T>(key: string, work: () => Promise<T>): Promise<T> {
    const waiting = this.#rows.get(key);
    if (waiting === undefined) this.#rows.set(key, new Set());
    else await turnIn(waiting);
    try {
      return await work();
    } finally {
      const [startNext] = this.#rows.get(key) ?? [];
      if (startNext === undefined) this.#rows.delete(key);
      else startNext();
    }
  }
}

function turnIn(waiting: Set<() => void>): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => end(() => reject(overloaded())), TIMEOUT);
    const start = () => end(resolve);
    const end = (settle: () => void) => {
      clearTimeout(timer);
      waiting.delete(start);
      settle();
    };
    waiting.add(start);
  });
}
