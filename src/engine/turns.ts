/** How long work waits for its turn, in milliseconds, and the error after that. */
export interface MaxWait {
  readonly milliseconds: number;
  readonly error: () => Error;
}

/** Does the work of each key one after another, and that of different keys side by side. */
export class Turns {
  /** For each key with work in progress, what starts the work that waits, in its order. */
  readonly #waiting = new Map<string, (() => void)[]>();
  readonly #maxWait: MaxWait | undefined;

  /** @param maxWait no limit by default */
  constructor(maxWait?: MaxWait) {
    this.#maxWait = maxWait;
  }

  /** How much work of the key is in progress or waits. */
  lengthOf(key: string): number {
    const waiting = this.#waiting.get(key);
    return waiting === undefined ? 0 : waiting.length + 1;
  }

  /** Does the work when no other work of the key is in progress. */
  async take<T>(key: string, work: () => Promise<T>): Promise<T> {
    const waiting = this.#waiting.get(key);
    if (waiting === undefined) this.#waiting.set(key, []);
    else await turnIn(waiting, this.#maxWait);
    try {
      return await work();
    } finally {
      const [startNext] = this.#waiting.get(key) ?? [];
      if (startNext === undefined) this.#waiting.delete(key);
      else startNext();
    }
  }
}

function turnIn(waiting: (() => void)[], maxWait: MaxWait | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = maxWait && setTimeout(() => end(() => reject(maxWait.error())), maxWait.milliseconds);
    const start = () => end(resolve);
    const end = (settle: () => void) => {
      clearTimeout(timer);
      waiting.splice(waiting.indexOf(start), 1);
      settle();
    };
    waiting.push(start);
  });
}
