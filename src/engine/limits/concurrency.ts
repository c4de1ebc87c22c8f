import { ServiceError } from '../errors.ts';

export interface Load {
  readonly account: string;
  readonly units: number;
  /** How much of its time is already used up, in milliseconds. */
  readonly spent?: number;
}

export type ConcurrencyLimiter = ReturnType<typeof createConcurrencyLimiter>;

/** How many units each caller may have in progress: what is done in a fraction of a second. Larger work runs alone. */
const MAX_IN_PROGRESS = 400;

interface AccountState {
  units: number;
  /** An array: a `Set` keeps deleted entries in memory until the next major garbage collection. */
  readonly waiting: Task[];
}

/** Also the signal of its work: an AbortController for each request would be slow. */
interface Task {
  readonly units: number;
  aborted: boolean;
  start(): void;
  giveUp(error: unknown): void;
}

/**
 * Limits how much work is in progress, shares it out among callers, and gives each piece of work a deadline.
 *
 * @param max how many requests may be in progress or wait. Beyond it, the caller with the most waiting loses its newest
 * @param deadline how long each may take, including its wait, in milliseconds
 */
export function createConcurrencyLimiter(max: number, deadline: number) {
  const callers = new Map<string, AccountState>();
  let total = 0;
  /** The `giveUp` of each task, in slots that are reused: with a set of tasks, a get takes twice the processor time. */
  const givingUp: ((error: unknown) => void)[] = [];
  const freeSlots: number[] = [];

  return {
    /** After this time, in milliseconds, rejects what is still in progress with UNAVAILABLE. */
    endWithin(milliseconds: number): void {
      setTimeout(() => {
        const error = new ServiceError('UNAVAILABLE', 'The service is stopping; try again.');
        // The newest first: when a waiting task leaves, the one behind it could start.
        for (const { waiting } of callers.values()) for (const task of waiting.toReversed()) task.giveUp(error);
        for (const giveUp of givingUp) giveUp(error);
      }, milliseconds).unref();
    },

    /**
     * Does the work: at once, or when enough of its caller's work in progress is done.
     *
     * @param work gets a signal that is aborted as soon as the caller has got an error instead of the result
     * @throws {ServiceError} UNAVAILABLE when too much is in progress or waiting, TIMEOUT when the work takes too long
     */
    run<T>(
      work: (signal: Pick<AbortSignal, 'aborted'>) => T | Promise<T>,
      { account, units, spent = 0 }: Load,
    ): Promise<T> {
      if (spent >= deadline) return Promise.reject(tookTooLong(deadline));
      if (total >= max && !makeRoom(account)) return Promise.reject(tooManyRequests());
      total++;
      const caller = callers.get(account) ?? { units: 0, waiting: [] };
      callers.set(account, caller);
      return new Promise((resolve, reject) => {
        let hasStarted = false;
        const task: Task = {
          units,
          aborted: false,
          start() {
            hasStarted = true;
            caller.units += units;
            try {
              Promise.resolve(work(task)).then((value) => {
                release();
                resolve(value);
              }, fail);
            } catch (error) {
              fail(error);
            }
          },
          giveUp(error) {
            task.aborted = true;
            reject(error);
            const index = caller.waiting.indexOf(task);
            if (index === -1) return;
            caller.waiting.splice(index, 1);
            release();
          },
        };
        const timer = setTimeout(() => {
          task.giveUp(tookTooLong(deadline));
        }, deadline - spent);
        const slot = freeSlots.pop() ?? givingUp.length;
        givingUp[slot] = task.giveUp;
        const release = () => {
          clearTimeout(timer);
          total--;
          // Otherwise the closure would keep the response in memory, which may be large.
          givingUp[slot] = nothing;
          freeSlots.push(slot);
          if (hasStarted) caller.units -= units;
          startNext(account, caller);
        };
        const fail = (error: unknown) => {
          release();
          reject(error);
        };
        if (caller.waiting.length === 0 && hasRoom(caller, units)) task.start();
        else caller.waiting.push(task);
      });
    },
  };

  function startNext(account: string, caller: AccountState): void {
    for (let task = caller.waiting[0]; task && hasRoom(caller, task.units); task = caller.waiting[0]) {
      caller.waiting.shift();
      task.start();
    }
    if (caller.units === 0) callers.delete(account);
  }

  /** Gives up a request of the caller with the most waiting; false when that is the caller that asks for room. */
  function makeRoom(account: string): boolean {
    let largest: AccountState | undefined;
    for (const caller of callers.values()) {
      if (caller.waiting.length > (largest?.waiting.length ?? 0)) largest = caller;
    }
    if (largest === undefined || largest.waiting.length <= (callers.get(account)?.waiting.length ?? 0)) return false;
    largest.waiting.at(-1)?.giveUp(tooManyRequests());
    return true;
  }
}

function nothing(): void {}

function hasRoom(caller: AccountState, units: number): boolean {
  return caller.units === 0 || caller.units + units <= MAX_IN_PROGRESS;
}

export function tookTooLong(deadline: number): ServiceError {
  return new ServiceError('TIMEOUT', `The request took longer than ${deadline / 1000} s; try again.`);
}

function tooManyRequests(): ServiceError {
  return new ServiceError('UNAVAILABLE', 'Too many requests are in progress; try again.');
}
