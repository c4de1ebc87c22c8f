import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { createConcurrencyLimiter } from '../../../src/engine/limits/concurrency.ts';

const UNITS_AT_ONCE = 400;

const never = () => new Promise<never>(() => {});
const outcome = (answer: Promise<unknown>) => answer.catch((error) => error.code ?? error.message);
const load = (account = 'somebody', units = 1) => ({ account, units });

/** Work that is in progress until the test ends it. */
function controlledWork() {
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const work = (name: string) => () => {
    started.push(name);
    return new Promise<void>((resolve) => ends.set(name, resolve));
  };
  const end = async (name: string) => {
    ends.get(name)?.();
    await sleep(1);
  };
  return { started, work, end };
}

describe('the concurrency limiter', () => {
  test('does not start a request that has waited elsewhere until its time was up', async () => {
    const { started, work } = controlledWork();
    const concurrency = createConcurrencyLimiter(1, 1_000);
    expect(await outcome(concurrency.run(work('late'), { ...load(), spent: 1_000 }))).toBe('TIMEOUT');
    expect(started).toEqual([]);
  });

  test('gives a request that has waited elsewhere only the rest of its time', async () => {
    const concurrency = createConcurrencyLimiter(1, 60_000);
    const late = outcome(concurrency.run(never, { ...load(), spent: 59_980 }));
    expect(await Promise.race([late, sleep(1_000, 'not rejected')])).toBe('TIMEOUT');
  });

  test('rejects requests beyond the maximum, until one in progress has ended or failed', async () => {
    const concurrency = createConcurrencyLimiter(1, 1_000);
    const broken = () => {
      throw new Error('broken');
    };
    for (const [work, result] of [
      [() => 'now', 'now'],
      [async () => 'later', 'later'],
      [broken, 'broken'],
      [async () => broken(), 'broken'],
    ] as const) {
      const [first, second] = [
        outcome(concurrency.run<string>(work, load())),
        outcome(concurrency.run(() => 'beside it', load())),
      ];
      expect(await Promise.all([first, second])).toEqual([result, work === broken ? 'beside it' : 'UNAVAILABLE']);
    }
    expect(await concurrency.run(() => 'at the end', load())).toBe('at the end');
  });

  test('answers at the deadline; the work counts until it has ended', async () => {
    const concurrency = createConcurrencyLimiter(1, 20);
    const slow = concurrency.run(() => sleep(60), load());
    expect(await outcome(slow)).toBe('TIMEOUT');
    expect(await outcome(concurrency.run(() => 'early', load()))).toBe('UNAVAILABLE');
    await sleep(60);
    expect(await outcome(concurrency.run(() => 'then', load()))).toBe('then');
  });

  test('can end the requests in progress after a time, and no others', async () => {
    const concurrency = createConcurrencyLimiter(10, 10_000);
    const results = [
      outcome(concurrency.run(() => 'done', load())),
      outcome(concurrency.run(never, load())),
      outcome(concurrency.run(never, load('another'))),
    ];
    concurrency.endWithin(10);
    expect(await Promise.all(results)).toEqual(['done', 'UNAVAILABLE', 'UNAVAILABLE']);
    expect(await concurrency.run(() => 'after', load('a third'))).toBe('after');
  });

  test('starts none of the waiting requests that it ends: a client is told to send them again', async () => {
    const concurrency = createConcurrencyLimiter(10, 10_000);
    const { started, work } = controlledWork();
    const results = [UNITS_AT_ONCE - 1, UNITS_AT_ONCE, 1].map((units, n) =>
      outcome(concurrency.run(work(`${n}`), load('one', units))),
    );
    concurrency.endWithin(10);
    expect(await Promise.all(results)).toEqual(['UNAVAILABLE', 'UNAVAILABLE', 'UNAVAILABLE']);
    expect(started).toEqual(['0']);
  });
});

describe('of one caller', () => {
  test(`at most ${UNITS_AT_ONCE} units are in progress: the rest waits, in its order`, async () => {
    const concurrency = createConcurrencyLimiter(1_000, 10_000);
    const { started, work, end } = controlledWork();
    for (const [name, units] of [
      ['a', UNITS_AT_ONCE - 10],
      ['b', 10],
      ['c', 11],
      ['d', 1],
    ] as const) {
      void outcome(concurrency.run(work(name), load('one', units)));
    }
    expect(started).toEqual(['a', 'b']);
    await end('b');
    expect(started).toEqual(['a', 'b']);
    await end('a');
    expect(started).toEqual(['a', 'b', 'c', 'd']);
  });

  test('work that costs more than that runs alone', async () => {
    const concurrency = createConcurrencyLimiter(1_000, 10_000);
    const { started, work, end } = controlledWork();
    for (const [name, units] of [
      ['small', 1],
      ['huge', 5 * UNITS_AT_ONCE],
      ['next', 1],
    ] as const) {
      void outcome(concurrency.run(work(name), load('one', units)));
    }
    expect(started).toEqual(['small']);
    await end('small');
    expect(started).toEqual(['small', 'huge']);
    await end('huge');
    expect(started).toEqual(['small', 'huge', 'next']);
  });

  test('waiting work is rejected at its deadline, never starts, and leaves its place to others', async () => {
    const concurrency = createConcurrencyLimiter(2, 20);
    const { started, work, end } = controlledWork();
    void outcome(concurrency.run(work('first'), load('one', UNITS_AT_ONCE)));
    expect(await outcome(concurrency.run(work('late'), load('one')))).toBe('TIMEOUT');
    expect(await concurrency.run(() => 'in', load('other'))).toBe('in');
    const next = outcome(concurrency.run(work('next'), load('one')));
    expect(started).toEqual(['first']);
    expect(await next).toBe('TIMEOUT');
    await end('first');
    expect(started).toEqual(['first']);
    expect(await concurrency.run(() => 'then', load('one'))).toBe('then');
  });

  test('nothing waits for the work of another caller', async () => {
    const concurrency = createConcurrencyLimiter(1_000, 10_000);
    for (let n = 0; n < 100; n++) void outcome(concurrency.run(never, load('greedy', UNITS_AT_ONCE)));
    expect(await concurrency.run(() => 'at once', load('other'))).toBe('at once');
  });
});

describe('at the maximum number of requests', () => {
  test('the caller with the most waiting requests loses its newest one to another caller', async () => {
    const concurrency = createConcurrencyLimiter(10, 10_000);
    const [modest, greedy, patient] = [3, 4, 3].map((length, n) =>
      Array.from({ length }, () => outcome(concurrency.run(never, load(`${n}`, UNITS_AT_ONCE)))),
    ) as [Promise<unknown>[], Promise<unknown>[], Promise<unknown>[]];
    expect(await concurrency.run(() => 'in', load('other'))).toBe('in');
    expect(await greedy.pop()).toBe('UNAVAILABLE');
    const rest = [...modest, ...greedy, ...patient];
    expect(await Promise.race([...rest, sleep(5, 'still there')])).toBe('still there');
  });

  test('the caller with the most waiting requests is rejected itself', async () => {
    const concurrency = createConcurrencyLimiter(2, 10_000);
    for (let n = 0; n < 2; n++) void outcome(concurrency.run(never, load('greedy', UNITS_AT_ONCE)));
    expect(await outcome(concurrency.run(never, load('greedy')))).toBe('UNAVAILABLE');
  });
});
