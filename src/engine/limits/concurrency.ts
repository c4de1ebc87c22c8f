import { RETRY_SOON, ServiceError } from '../errors.ts';

/** Whose work it is, and how much it is. */
export interface Load {
  /** What tells callers apart. */
  readonly account: string;
  /** What it costs, in units. */
  readonly units: number;
  /** How much of its time has been spent before, in milliseconds. */
  readonly spent?: number | undefined;
}

/** Lets in so much work at once, shared out among the callers, and waits for each so long. */
export interface ConcurrencyLimiter {
  /**
   * Does the work: at once, or when enough of what its caller has under way is done.
   *
   * @param work is told whether somebody still waits for it, whenever it asks
   * @throws {ServiceError} UNAVAILABLE when too much is under way or waits, TIMEOUT when the work takes too long: what it
   *   still does then is ended by the limit of its statement
   */
  run<T>(work: (isWanted: () => boolean) => T | Promise<T>, load: Load): Promise<T>;
  /** Ends what is still in progress after this time, in milliseconds, with UNAVAILABLE. */
  endWithin(milliseconds: number): void;
}

/**
 * How many units each caller may have under way; what costs more is done alone. So one caller's work is never more than
 * what the database and this process do within a fraction of a second.
 */
const MAX_IN_PROGRESS = 400;

/** What each caller has under way, and what of it waits. */
interface Caller {
  units: number;
  readonly waiting: Set<Task>;
}

interface Task {
  readonly units: number;
  start(): void;
  giveUp(error: unknown): void;
}

/**
 * @param most how many pieces of work there may be at once, under way and waiting. When there are more, the caller with the
 *   most that waits loses its last
 * @param deadline how long each may take with its wait, in milliseconds
 */
export function createConcurrencyLimiter(most: number, deadline: number): ConcurrencyLimiter {
  const callers = new Map<string, Caller>();
  let inside = 0;
  /** What gives up each work, at a place that is used again: a set would cost as much as the rest of a request. */
  const givingUp: ((error: unknown) => void)[] = [];
  const free: number[] = [];

  return {
    endWithin(milliseconds) {
      setTimeout(() => {
        for (const giveUp of givingUp) giveUp(stopping());
      }, milliseconds).unref();
    },

    run(work, { account, units, spent = 0 }) {
      if (inside >= most && !makeRoom(account)) return Promise.reject(tooMuch());
      inside++;
      const caller = callers.get(account) ?? { units: 0, waiting: new Set() };
      callers.set(account, caller);
      return new Promise((resolve, reject) => {
        let isWanted = true;
        let hasStarted = false;
        const task: Task = {
          units,
          start() {
            hasStarted = true;
            caller.units += units;
            try {
              Promise.resolve(work(() => isWanted)).then((value) => {
                leave();
                resolve(value);
              }, fail);
            } catch (error) {
              fail(error);
            }
          },
          giveUp(error) {
            isWanted = false;
            reject(error);
            if (!hasStarted && caller.waiting.delete(task)) leave();
          },
        };
        const timer = setTimeout(() => task.giveUp(tooLate(deadline)), deadline - spent);
        const place = free.pop() ?? givingUp.length;
        givingUp[place] = task.giveUp;
        const leave = () => {
          clearTimeout(timer);
          inside--;
          // What it was for is not kept: an answer may be large.
          givingUp[place] = nothing;
          free.push(place);
          if (hasStarted) caller.units -= units;
          startNext(account, caller);
        };
        const fail = (error: unknown) => {
          leave();
          reject(error);
        };
        if (caller.waiting.size === 0 && hasRoom(caller, units)) task.start();
        else caller.waiting.add(task);
      });
    },
  };

  function startNext(account: string, caller: Caller): void {
    for (const task of caller.waiting) {
      if (!hasRoom(caller, task.units)) return;
      caller.waiting.delete(task);
      task.start();
    }
    if (caller.units === 0) callers.delete(account);
  }

  /** Whether what waits of a caller with more of it than this one could be given up. */
  function makeRoom(account: string): boolean {
    let largest: Caller | undefined;
    for (const caller of callers.values()) {
      if (caller.waiting.size > (largest?.waiting.size ?? 0)) largest = caller;
    }
    if (largest === undefined || largest.waiting.size <= (callers.get(account)?.waiting.size ?? 0)) return false;
    [...largest.waiting].at(-1)?.giveUp(tooMuch());
    return true;
  }
}

function nothing(): void {}

function hasRoom({ units: underWay }: Caller, units: number): boolean {
  return underWay === 0 || underWay + units <= MAX_IN_PROGRESS;
}

function tooMuch(): ServiceError {
  return new ServiceError('UNAVAILABLE', 'Too many requests are in progress; try again.', {
    headers: RETRY_SOON,
  });
}

function stopping(): ServiceError {
  return new ServiceError('UNAVAILABLE', 'The service is stopping; try again.', { headers: RETRY_SOON });
}

function tooLate(deadline: number): ServiceError {
  return new ServiceError('TIMEOUT', `The request took longer than ${deadline / 1000} s; try again.`, {
    headers: RETRY_SOON,
  });
}
