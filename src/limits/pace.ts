/** Lets each caller begin one piece of work in a turn of the event loop, so that what others have sent is read in between. */
export class Pace {
  readonly #last = new Map<string, Promise<void>>();

  /** When the caller's next turn has come. */
  next(caller: string): Promise<void> {
    const last = this.#last.get(caller) ?? Promise.resolve();
    const mine = last.then(() => new Promise<void>((resolve) => setImmediate(resolve)));
    this.#last.set(caller, mine);
    void mine.then(() => {
      if (this.#last.get(caller) === mine) this.#last.delete(caller);
    });
    return mine;
  }
}
