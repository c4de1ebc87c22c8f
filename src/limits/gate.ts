import { RETRY_SOON, ServiceError } from '../errors.ts';

/** Lets in so much work at once, and waits for each so long. */
export interface Gate {
  /**
   * Does the work.
   *
   * @param work is told whether somebody still waits for it, whenever it asks
   * @param spent how much of its time has been spent before, in milliseconds
   * @throws {ServiceError} UNAVAILABLE when too much is under way, TIMEOUT when the work takes too long: what it still does
   *   then is ended by the limit of its statement
   */
  run<T>(work: (isWanted: () => boolean) => T | Promise<T>, spent?: number): Promise<T>;
  /** Waits no longer than so many milliseconds from now, for whatever is under way then: it is UNAVAILABLE. */
  endWithin(milliseconds: number): void;
}

/**
 * @param most how much is worked on at once
 * @param deadline how long each may take, in milliseconds
 */
export function createGate(most: number, deadline: number): Gate {
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

    run(work, spent = 0) {
      if (inside >= most) return Promise.reject(tooMuch());
      inside++;
      return new Promise((resolve, reject) => {
        let isWanted = true;
        const giveUp = (error: unknown) => {
          isWanted = false;
          reject(error);
        };
        const timer = setTimeout(() => giveUp(tooLate(deadline)), deadline - spent);
        const place = free.pop() ?? givingUp.length;
        givingUp[place] = giveUp;
        const leave = () => {
          clearTimeout(timer);
          inside--;
          free.push(place);
        };
        const fail = (error: unknown) => {
          leave();
          reject(error);
        };
        try {
          Promise.resolve(work(() => isWanted)).then((value) => {
            leave();
            resolve(value);
          }, fail);
        } catch (error) {
          fail(error);
        }
      });
    },
  };
}

function tooMuch(): ServiceError {
  return new ServiceError('UNAVAILABLE', 'Too many requests are being answered at once; try again.', {
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
