/** How long requests wait for connections to be accepted, in milliseconds. */
const MAX_WAIT = 100;
/** How many that waited start in one turn of the event loop: all those of a burst could exceed `MAX_REQUESTS`. */
const STARTED_AT_ONCE = 50;

/**
 * Accepts the connections that wait before it starts requests. Node accepts one in each turn of the event loop, so while
 * one client opens hundreds, those of all clients would wait for hundreds of turns, each with the work of requests.
 */
export class Backlog {
  /** The requests that wait; undefined when no connection was accepted in the last turn. */
  #waiting: (() => void)[] | undefined;
  #hasAccepted = false;
  #until = 0;

  /**
   * Call it for each accepted connection; or, before a drain, to wait for those that the system has accepted already.
   *
   * @param wait how long requests wait from now on, in milliseconds; by default `MAX_WAIT` from the first connection on
   */
  onConnection(wait?: number): void {
    this.#hasAccepted = true;
    if (wait !== undefined || this.#waiting === undefined) this.#until = performance.now() + (wait ?? MAX_WAIT);
    if (this.#waiting !== undefined) return;
    this.#waiting = [];
    setImmediate(this.#endTurn);
  }

  /** Starts the work when no connection waits any more, or after the wait; in the order of the calls. */
  runAfterAccepting(work: () => void): void {
    if (this.#waiting === undefined) work();
    else this.#waiting.push(work);
  }

  readonly #endTurn = () => {
    const isAccepting = this.#hasAccepted && performance.now() < this.#until;
    this.#hasAccepted = false;
    if (!isAccepting) for (const work of this.#waiting?.splice(0, STARTED_AT_ONCE) ?? []) work();
    if (isAccepting || this.#waiting?.length) setImmediate(this.#endTurn);
    else this.#waiting = undefined;
  };
}
