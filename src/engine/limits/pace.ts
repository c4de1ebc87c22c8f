interface Waiting {
  readonly size: number;
  start(): void;
}

interface Caller {
  /** The size of the work started in this turn. */
  started: number;
  readonly waiting: Waiting[];
}

/**
 * Limits how much CPU-bound work each caller starts per turn. Its next turn comes after a pause as long as the last
 * turn took, so that other callers get at least half of the time.
 */
export class Pace {
  readonly #max: number;
  readonly #callers = new Map<string, Caller>();

  /** @param max the maximum size of the work in one turn; larger work gets a turn of its own */
  constructor(max: number) {
    this.#max = max;
  }

  /** Resolves when work of this size may start; undefined if it may start now. */
  next(caller: string, size: number): Promise<void> | undefined {
    const known = this.#callers.get(caller);
    if (known === undefined) {
      this.#callers.set(caller, { started: size, waiting: [] });
      this.#scheduleTurn(caller);
      return undefined;
    }
    if (known.waiting.length === 0 && known.started + size <= this.#max) {
      known.started += size;
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
    known.started = 0;
    let [first] = known.waiting;
    while (first !== undefined && (known.started === 0 || known.started + first.size <= this.#max)) {
      known.started += first.size;
      known.waiting.shift();
      first.start();
      [first] = known.waiting;
    }
    this.#scheduleTurn(caller);
  }

  /** The work that starts now has run when the event loop calls `setImmediate`. */
  #scheduleTurn(caller: string): void {
    const started = performance.now();
    setImmediate(() => setTimeout(() => this.#turn(caller), performance.now() - started));
  }
}
