/** How long requests wait for connections to be accepted, in milliseconds. */
const MAX_WAIT = 100;
/** How many that waited start in one turn of the event loop: all those of a burst could exceed `MAX_REQUESTS`. */
const STARTED_AT_ONCE = 50;
/** Of a turn of the event loop, in milliseconds, in which hardly a connection can come after it was looked for. */
const SHORT_TURN = 0.05;

/**
 * Accepts the connections that wait before it starts requests. Node accepts one in each turn of the event loop, so while
 * one client opens hundreds, those of all clients would wait for hundreds of turns, each with the work of requests.
 */
export class Backlog {
  /** The requests that wait; undefined when no connection was accepted in the last turn. */
  #waiting: (() => void)[] | undefined;
  #hasAccepted = false;
  #until = 0;
  #lastTurn = 0;
  #isEnding = false;

  /** Call it for each accepted connection. Requests wait for `MAX_WAIT` from the first one on. */
  onConnection(): void {
    this.#hasAccepted = true;
    if (this.#waiting !== undefined) return;
    this.#until = performance.now() + MAX_WAIT;
    this.#waiting = [];
    setImmediate(this.#endTurn);
  }

  /**
   * Calls `close` when the connections that the system has accepted are accepted here, too: it resets the others. Until
   * then requests wait, up to a time in milliseconds.
   */
  end(wait: number, close: () => void): void {
    this.onConnection();
    this.#until = performance.now() + wait;
    this.#isEnding = true;
    this.#waiting?.unshift(close);
  }

  /** Starts the work when no connection waits any more, or after the wait; in the order of the calls. */
  runAfterAccepting(work: () => void): void {
    if (this.#waiting === undefined) work();
    else this.#waiting.push(work);
  }

  readonly #endTurn = () => {
    const now = performance.now();
    const mayHaveMore = this.#hasAccepted || (this.#isEnding && now - this.#lastTurn > SHORT_TURN);
    const isAccepting = mayHaveMore && now < this.#until;
    this.#hasAccepted = false;
    this.#lastTurn = now;
    if (!isAccepting) {
      this.#isEnding = false;
      for (const work of this.#waiting?.splice(0, STARTED_AT_ONCE) ?? []) work();
    }
    if (isAccepting || this.#waiting?.length) setImmediate(this.#endTurn);
    else this.#waiting = undefined;
  };
}
