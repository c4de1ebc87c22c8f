import { requestAborted } from '../errors.ts';
import { type MaxWait, type Waiting, waitIn } from '../queue.ts';

interface AccountState {
  /** The size of the work started in this turn. */
  started: number;
  /** The work that waits, in its order. */
  readonly waiting: Waiting<Work>[];
}

interface Work {
  readonly size: number;
  /** Whether its client has gone. */
  readonly isAborted: () => boolean;
}

/**
 * Limits how much CPU-bound work each caller starts in one turn of the event loop. Its next turn comes after a pause as
 * long as the last one took, so that other callers get at least half of the time.
 */
export class CpuThrottle {
  readonly #max: number;
  readonly #maxWait: MaxWait | undefined;
  readonly #callers = new Map<string, AccountState>();

  /**
   * @param max the maximum size of the work in one turn; larger work gets a turn of its own
   * @param maxWait no limit by default
   */
  constructor(max: number, maxWait?: MaxWait) {
    this.#max = max;
    this.#maxWait = maxWait;
  }

  /**
   * Resolves when work of this size may start; undefined if it may start now.
   *
   * @throws {ServiceError} INVALID_ARGUMENT when its client goes while it waits
   */
  wait(name: string, size: number, isAborted = () => false): Promise<void> | undefined {
    const known = this.#callers.get(name);
    const caller = known ?? { started: 0, waiting: [] };
    if (known === undefined) {
      this.#callers.set(name, caller);
      this.#scheduleTurn(name, caller);
    }
    if (caller.waiting.length === 0 && this.#starts(size, caller)) return undefined;
    return waitIn(caller.waiting, { size, isAborted }, this.#maxWait);
  }

  /** The work that starts now has run when the event loop calls `setImmediate`. */
  #scheduleTurn(name: string, caller: AccountState): void {
    const started = performance.now();
    setImmediate(() => setTimeout(() => this.#turn(name, caller), performance.now() - started));
  }

  #turn(name: string, caller: AccountState): void {
    caller.started = 0;
    for (const { end } of caller.waiting.filter(({ work }) => work.isAborted())) end(requestAborted());
    for (let [next] = caller.waiting; next && this.#starts(next.work.size, caller); [next] = caller.waiting) next.end();
    if (caller.started > 0) this.#scheduleTurn(name, caller);
    else this.#callers.delete(name);
  }

  #starts(size: number, caller: AccountState): boolean {
    if (caller.started > 0 && caller.started + size > this.#max) return false;
    caller.started += size;
    return true;
  }
}
