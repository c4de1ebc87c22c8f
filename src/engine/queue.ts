/** How long work waits for its turn, in milliseconds, and the error after that. */
export interface MaxWait {
  readonly milliseconds: number;
  readonly error: () => Error;
}

/** Runs the work of each key one after another, and that of different keys concurrently. */
export class KeyedQueue {
  /** For each key with work in progress, the work that waits, in its order. */
  readonly #waiting = new Map<string, Waiting<undefined>[]>();
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

  /** Runs the work when no other work of the key is in progress. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const waiting = this.#waiting.get(key);
    if (waiting === undefined) this.#waiting.set(key, []);
    else await waitIn(waiting, undefined, this.#maxWait);
    try {
      return await work();
    } finally {
      const [next] = this.#waiting.get(key) ?? [];
      if (next === undefined) this.#waiting.delete(key);
      else next.end();
    }
  }
}

/** Work that waits for its turn, with what its queue needs to know about it. */
export interface Waiting<Work> {
  readonly work: Work;
  /** Takes it out of the queue, and starts it, or rejects it with the error. */
  end(error?: Error): void;
}

/** Adds the work to the queue; resolves when it is taken out and started. */
export function waitIn<Work>(queue: Waiting<Work>[], work: Work, maxWait: MaxWait | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const entry: Waiting<Work> = {
      work,
      end(error) {
        clearTimeout(timer);
        queue.splice(queue.indexOf(entry), 1);
        if (error === undefined) resolve();
        else reject(error);
      },
    };
    const timer = maxWait && setTimeout(() => entry.end(maxWait.error()), maxWait.milliseconds);
    queue.push(entry);
  });
}
