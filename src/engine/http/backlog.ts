/** How long requests wait for connections to be accepted, in milliseconds. */
const MAX_WAIT = 100;

/**
 * Accepts the connections that wait before it starts requests. Node accepts one connection in each turn of the event
 * loop, so while one client opens hundreds, the new connections of all clients would wait for hundreds of turns, each
 * with the work of the requests before them.
 */
export class Backlog {
  /** The requests that wait; undefined when no connection was accepted in the last turn. */
  #waiting: (() => void)[] | undefined;
  #hasAccepted = false;
  #until = 0;

  /** Must be called for each accepted connection, or to find out whether there is one to accept. */
  look(): void {
    this.#hasAccepted = true;
    if (this.#waiting !== undefined) return;
    this.#waiting = [];
    this.#until = performance.now() + MAX_WAIT;
    setImmediate(this.#endTurn);
  }

  /** Starts the work when no connection waits any more, or after `MAX_WAIT`. */
  afterwards(work: () => void): void {
    if (this.#waiting === undefined) work();
    else this.#waiting.push(work);
  }

  readonly #endTurn = () => {
    if (this.#hasAccepted && performance.now() < this.#until) {
      this.#hasAccepted = false;
      setImmediate(this.#endTurn);
      return;
    }
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const work of waiting) work();
  };
}
