/** One that waits for its turn. */
interface Waiting {
  readonly size: number;
  start(): void;
}

interface Caller {
  /** How much it has begun in this turn. */
  begun: number;
  readonly waiting: Waiting[];
}

/**
 * Lets each caller begin so much work at once, and the rest later: it waits for as long as the last has taken, so that others
 * have at least half of the time.
 */
export class Pace {
  readonly #most: number;
  readonly #callers = new Map<string, Caller>();

  /** @param most how much of it; what is more is begun alone */
  constructor(most: number) {
    this.#most = most;
  }

  /** When work of this size may begin; undefined for now. */
  next(caller: string, size: number): Promise<void> | undefined {
    const known = this.#callers.get(caller);
    if (known === undefined) {
      this.#callers.set(caller, { begun: size, waiting: [] });
      this.#afterThis(caller);
      return undefined;
    }
    if (known.waiting.length === 0 && known.begun + size <= this.#most) {
      known.begun += size;
      return undefined;
    }
    return new Promise((resolve) => {
      known.waiting.push({ size, start: resolve });
    });
  }

  #turn(caller: string): void {
    const known = this.#callers.get(caller);
    if (known === undefined) return;
    if (known.waiting.length === 0) {
      this.#callers.delete(caller);
      return;
    }
    known.begun = 0;
    let [first] = known.waiting;
    while (first !== undefined && (known.begun === 0 || known.begun + first.size <= this.#most)) {
      known.begun += first.size;
      known.waiting.shift();
      first.start();
      [first] = known.waiting;
    }
    this.#afterThis(caller);
  }

  /** What is begun now is done when the event loop comes round. */
  #afterThis(caller: string): void {
    const started = performance.now();
    setImmediate(() => setTimeout(() => this.#turn(caller), performance.now() - started));
  }
}
