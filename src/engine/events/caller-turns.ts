/** Does the work of each caller one after another, and that of different callers side by side. */
export class CallerTurns {
  /** The last work of each caller that has not ended. */
  readonly #last = new Map<string, Promise<unknown>>();

  async take<T>(caller: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(caller);
    const running = before === undefined ? work() : before.then(work, work);
    this.#last.set(caller, running);
    try {
      return await running;
    } finally {
      if (this.#last.get(caller) === running) this.#last.delete(caller);
    }
  }
}
